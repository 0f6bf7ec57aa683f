"""Numbers that say what is done with them while a module is built: who divides whom, what floors.

A ``Heard`` is a whole number, and in every respect the one that it seems to be; beside that it
carries the expression in the sizes that it is the value of.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from sympy import Expr, Integer, Rational, floor

LONGEST = 60
"""Operations in an expression beyond which nobody listens any more."""


@dataclass
class Ear:
    """What was heard: divisions without a rest, and expressions that are rounded down."""

    divisions: list[tuple[Expr, Expr]] = field(default_factory=list)
    floors: list[Expr] = field(default_factory=list)


_ear: ContextVar[Ear | None] = ContextVar("ear", default=None)


@contextmanager
def listening(modules: Iterable[ModuleType] = ()) -> Iterator[Ear]:
    """Listen meanwhile; in some modules ``int(…)`` is heard too."""
    found = Ear()
    token = _ear.set(found)
    patched = [m for m in modules if "int" not in vars(m)]
    for m in patched:
        vars(m)["int"] = Int  # the name that its functions look up
    try:
        yield found
    finally:
        _ear.reset(token)
        for m in patched:
            del vars(m)["int"]


def expression(x: Any) -> Expr | None:
    """Return what a number is the value of; None of what is no number."""
    if isinstance(x, Heard | HeardFloat):
        return x.expression
    if isinstance(x, bool):
        return None
    if isinstance(x, int):
        return Integer(int(x))
    return Rational(repr(float(x))) if isinstance(x, float) and math.isfinite(x) else None


def _carried(value: Any, left: Any, right: Any, made: Callable[[Expr, Expr], Expr]) -> Any:
    """Return a result that carries what it is the value of."""
    if value is NotImplemented or isinstance(value, complex):
        return value
    a, b = expression(left), expression(right)
    if a is None or b is None:
        return value
    e = made(a, b)
    if e.count_ops() > LONGEST or (not e.is_finite and not e.free_symbols):
        return value
    return Heard(value, e) if isinstance(value, int) else HeardFloat(value, e)


def _add(a: Expr, b: Expr) -> Expr:
    return a + b


def _sub(a: Expr, b: Expr) -> Expr:
    return a - b


def _mul(a: Expr, b: Expr) -> Expr:
    return a * b


def _over(a: Expr, b: Expr) -> Expr:
    return a / b


def _floored(a: Expr, b: Expr) -> Expr:
    return floor(a / b)


def floor_divided(value: Any, rest: Any, left: Any, right: Any) -> Any:
    """Return a quotient that was rounded down, and note whether there was a rest."""
    if value is NotImplemented or not isinstance(value, int):
        return value
    if rest == 0:
        _note(left, right)
        return _carried(value, left, right, _over)
    return noted(_carried(value, left, right, _floored))


def noted(found: Any) -> Any:
    """Note an expression that is rounded down."""
    ear = _ear.get()
    if ear is not None and isinstance(found, Heard) and found.expression not in ear.floors:
        ear.floors.append(found.expression)
    return found


def _note(left: Any, right: Any) -> None:
    ear, a, b = _ear.get(), expression(left), expression(right)
    if ear is not None and a is not None and b is not None and (a, b) not in ear.divisions:
        ear.divisions.append((a, b))


class Heard(int):
    """A whole number that carries the expression in the sizes that it is the value of."""

    expression: Expr

    def __new__(cls, value: int, expression: Expr) -> Heard:
        """Return the number with its expression; one that holds a floor is noted."""
        made = super().__new__(cls, value)
        made.expression = expression
        if expression.has(floor):
            noted(made)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (int(self),)

    def __deepcopy__(self, memo: Any) -> Heard:
        return self

    def __copy__(self) -> Heard:
        return self

    def __add__(self, other: Any) -> Any:
        return _carried(_value(self, other, int.__add__, float.__add__), self, other, _add)

    def __radd__(self, other: Any) -> Any:
        return _carried(_value(self, other, int.__radd__, float.__radd__), other, self, _add)

    def __sub__(self, other: Any) -> Any:
        return _carried(_value(self, other, int.__sub__, float.__sub__), self, other, _sub)

    def __rsub__(self, other: Any) -> Any:
        return _carried(_value(self, other, int.__rsub__, float.__rsub__), other, self, _sub)

    def __mul__(self, other: Any) -> Any:
        return _carried(_value(self, other, int.__mul__, float.__mul__), self, other, _mul)

    def __rmul__(self, other: Any) -> Any:
        return _carried(_value(self, other, int.__rmul__, float.__rmul__), other, self, _mul)

    def __truediv__(self, other: Any) -> Any:
        value = _value(self, other, int.__truediv__, float.__truediv__)
        return _carried(value, self, other, _over)

    def __rtruediv__(self, other: Any) -> Any:
        value = _value(self, other, int.__rtruediv__, float.__rtruediv__)
        return _carried(value, other, self, _over)

    def __mod__(self, other: Any) -> Any:
        rest = int.__mod__(self, other)
        if rest is not NotImplemented and rest == 0:
            _note(self, other)
        return rest

    def __rmod__(self, other: Any) -> Any:
        rest = int.__rmod__(self, other)
        if rest is not NotImplemented and rest == 0:
            _note(other, self)
        return rest

    def __floordiv__(self, other: Any) -> Any:
        rest = int.__mod__(self, other)
        return floor_divided(int.__floordiv__(self, other), rest, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        rest = int.__rmod__(self, other)
        return floor_divided(int.__rfloordiv__(self, other), rest, other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other


def _value(me: Heard, other: Any, whole: Any, real: Any) -> Any:
    """Compute as whole numbers do, or as floats do with one."""
    found = whole(me, other) if isinstance(other, int) else NotImplemented
    if found is NotImplemented and isinstance(other, float):
        return real(float(int(me)), float(other))
    return found


class HeardFloat(float):
    """A float that carries the expression that it is the value of, until it is made whole."""

    expression: Expr

    def __new__(cls, value: float, expression: Expr) -> HeardFloat:
        """Return the number with its expression."""
        made = super().__new__(cls, value)
        made.expression = expression
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return float, (float(self),)

    def __add__(self, other: Any) -> Any:
        return _carried(float.__add__(float(self), _plain(other)), self, other, _add)

    def __radd__(self, other: Any) -> Any:
        return _carried(float.__radd__(float(self), _plain(other)), other, self, _add)

    def __sub__(self, other: Any) -> Any:
        return _carried(float.__sub__(float(self), _plain(other)), self, other, _sub)

    def __rsub__(self, other: Any) -> Any:
        return _carried(float.__rsub__(float(self), _plain(other)), other, self, _sub)

    def __mul__(self, other: Any) -> Any:
        return _carried(float.__mul__(float(self), _plain(other)), self, other, _mul)

    def __rmul__(self, other: Any) -> Any:
        return _carried(float.__rmul__(float(self), _plain(other)), other, self, _mul)

    def __truediv__(self, other: Any) -> Any:
        return _carried(float.__truediv__(float(self), _plain(other)), self, other, _over)

    def __rtruediv__(self, other: Any) -> Any:
        return _carried(float.__rtruediv__(float(self), _plain(other)), other, self, _over)

    def __floor__(self) -> int:
        return self._whole(math.floor(float(self)), floor)

    def __ceil__(self) -> int:
        return self._whole(math.ceil(float(self)), lambda e: -floor(-e))

    def __trunc__(self) -> int:
        return self._whole(math.trunc(float(self)), floor)

    def __round__(self, digits: Any = None) -> Any:
        if digits is not None:
            return round(float(self), digits)
        return self._whole(round(float(self)), lambda e: floor(e + Rational(1, 2)))

    def _whole(self, value: int, made: Callable[[Expr], Expr]) -> int:
        return Heard(value, made(self.expression))


def _plain(x: Any) -> Any:
    if isinstance(x, int) and not isinstance(x, bool):
        return int(x)
    return float(x) if isinstance(x, float) else x


class _Ints(type):
    """Takes for an ``int`` what is one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, builtins.int)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, builtins.int)


class Int(builtins.int, metaclass=_Ints):
    """Stands for ``int`` in a module while it is listened to."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make a whole number, no object of this class; it carries what a float carried."""
        if len(args) == 1 and not kwargs:
            if isinstance(args[0], Heard):
                return args[0]
            if isinstance(args[0], HeardFloat):
                return args[0].__trunc__()
        return builtins.int(*args, **kwargs)
