"""Whole numbers that say what is done with them while a module is built: who divides whom."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sympy import Expr, Integer

Division = tuple[Expr, Expr]
_heard: ContextVar[list[Division] | None] = ContextVar("heard", default=None)


@contextmanager
def listening() -> Iterator[list[Division]]:
    """Collect the divisions without a rest, (what is divided, by what), made meanwhile."""
    found: list[Division] = []
    token = _heard.set(found)
    try:
        yield found
    finally:
        _heard.reset(token)


class Heard(int):
    """A whole number that carries the expression in the sizes that it is the value of."""

    expression: Expr

    def __new__(cls, value: int, expression: Expr) -> Heard:
        """Return the number with its expression."""
        made = super().__new__(cls, value)
        made.expression = expression
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (int(self),)

    def __deepcopy__(self, memo: Any) -> Heard:
        return self

    def __add__(self, other: Any) -> Any:
        return self._made(int.__add__(self, other), other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._made(int.__radd__(self, other), other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._made(int.__sub__(self, other), other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._made(int.__rsub__(self, other), other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._made(int.__mul__(self, other), other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._made(int.__rmul__(self, other), other, lambda a, b: b * a)

    def __mod__(self, other: Any) -> Any:
        rest = int.__mod__(self, other)
        divided(self, other, rest)
        return rest

    def __rmod__(self, other: Any) -> Any:
        rest = int.__rmod__(self, other)
        divided(other, self, rest)
        return rest

    def __floordiv__(self, other: Any) -> Any:
        found = int.__floordiv__(self, other)
        if found is NotImplemented or int.__mod__(self, other):
            return found
        divided(self, other, 0)
        return self._made(found, other, lambda a, b: a / b)

    def __rfloordiv__(self, other: Any) -> Any:
        found = int.__rfloordiv__(self, other)
        if found is not NotImplemented:
            divided(other, self, int.__rmod__(self, other))
        return found

    def _made(self, value: Any, other: Any, made: Any) -> Any:
        if value is NotImplemented:
            return value
        return Heard(value, made(self.expression, expression(other)))


def expression(x: Any) -> Expr:
    """Return what a whole number is the value of."""
    return x.expression if isinstance(x, Heard) else Integer(int(x))


def divided(a: Any, b: Any, rest: Any) -> None:
    """Note a division without a rest."""
    heard = _heard.get()
    if heard is not None and rest == 0 and isinstance(a, int) and isinstance(b, int):
        heard.append((expression(a), expression(b)))
