"""Components: a frozen dataclass with a ``forward``, and the use of one inside another.

Two things make a definition document itself: ``signature``, a type line checked at every call,
and ``return steps(…)``, whose named values become the rows and equations of its page, in order.
A component that states a ``pullback`` is fused (see ``ir/region.py``).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache, reduce
from operator import mul
from typing import TYPE_CHECKING, Any, ClassVar

from sympy import Expr, Symbol

from symledger.errors import DefinitionError, PatternError, ShapeError
from symledger.ir.building import current_region, inside
from symledger.ir.naming import snake
from symledger.ir.patterns import Operand, Pattern, parse
from symledger.ir.shapes import Shape, as_size, show
from symledger.ir.tensor import Region, Scope, Tensor
from symledger.notation.recompute import use_of
from symledger.sizes import Size

PLACE = "\n  in "
"""What begins the last line of a refusal, that says where in the model it was met."""


class UnknownField(DefinitionError, AttributeError):
    """What a definition asks itself for, and has not."""


@dataclass(frozen=True)
class Steps:
    """The named values of a ``forward``, in order; the last ones are what it returns."""

    named: Mapping[str, Tensor]

    def last(self, number: int) -> tuple[Tensor, ...]:
        """Return the last ``number`` values."""
        return tuple(self.named.values())[len(self.named) - number :]


def steps(**values: Tensor) -> Steps:
    """Name the values of a ``forward``; the last one is its result."""
    return Steps(values)


class Component:
    """A part of a network, defined once. Subclasses are frozen dataclasses with a ``forward``.

    ``assumptions`` are the defaults under which the corollary of its formulas holds, by symbol;
    ``definitions`` are the sizes that others decide, and how (⌊ ⌋ allowed): they hold always.
    ``corollaries`` are further named cases; ``references`` say where the definition comes from.
    ``whole`` are the inputs, their axes by name, where they are more than ``forward`` needs.
    ``decoding`` are the inputs of one decoding step, their axes by name, of what decodes: it has
    an option ``cached`` and a size, named by ``seen_size``, of all positions that are seen then.
    """

    signature: ClassVar[str] = ""
    title: ClassVar[str] = ""
    assumptions: ClassVar[Mapping[Size, Expr]] = {}
    definitions: ClassVar[Mapping[Size, Expr]] = {}
    corollaries: ClassVar[Mapping[str, Mapping[Size, Expr | int]]] = {}
    references: ClassVar[tuple[str, ...]] = ()
    whole: ClassVar[Mapping[str, str] | None] = None
    decoding: ClassVar[Mapping[str, str]] = {}
    seen_size: ClassVar[str] = "S"

    def __post_init__(self) -> None:
        """Make whole numbers among the fields exact: 64 / 2 is 32 then, and never 32.0.

        Raises:
            DefinitionError: a field that is a size by default is given something that is none.
        """
        for f in fields(self):  # type: ignore[arg-type]  # subclasses are dataclasses
            value = getattr(self, f.name)
            if isinstance(value, Symbol):
                continue
            if isinstance(f.default, Expr) and not isinstance(value, Expr | int):
                raise DefinitionError(
                    f"{type(self).__name__}: {f.name} is a size, a symbol or a whole number; "
                    f"{value!r} is neither."
                )
            if isinstance(value, int) and not isinstance(value, bool):
                object.__setattr__(self, f.name, as_size(value))
            low = f.default.least if isinstance(f.default, Size) else None
            if low is not None and _below(getattr(self, f.name), low):
                raise DefinitionError(
                    f"{type(self).__name__}: {f.name} = {value}, but it is at least {low}."
                )

    if not TYPE_CHECKING:  # a type checker is to find it by itself

        def __getattr__(self, name: str) -> Any:
            """Refuse what is not there, and name the fields and the file."""
            kind = type(self)
            own = ", ".join(f.name for f in fields(kind)) if is_dataclass(kind) else ""
            ours = kind.__module__.startswith("symledger.")
            file = f" in {kind.__module__.replace('.', '/')}.py" if ours else ""
            raise UnknownField(f"{kind.__name__}{file} has no {name}. Its fields: {own or 'none'}.")

    def forward(self, *inputs: Any) -> Steps:
        """Describe the computation; every subclass does."""
        raise DefinitionError(f"{type(self).__name__} has no forward: define what it computes.")

    @property
    def chances(self) -> tuple[str, ...]:
        """The inputs that are chances, between 0 and 1: what is drawn for checks is."""
        return ()

    def decided(self) -> Mapping[Size, Expr]:
        """Return the sizes that others decide, and how; an option may choose."""
        return self.definitions

    def defined(self) -> dict[Size, Expr]:
        """Return the definitions with this component's fields in place of symbols of that name."""
        stated = self.decided()
        mentioned = set().union(*(e.free_symbols for e in stated.values()))
        own = {s: getattr(self, s.name, s) for s in (*mentioned, *stated)}
        given = {s: n for s, n in own.items() if n is not s}
        named = {own[s]: e.xreplace(given) for s, e in stated.items()}
        return {symbol: e for symbol, e in named.items() if isinstance(symbol, Size)}

    def __call__(
        self, *inputs: Tensor | None, name: str = "", recompute: bool = False
    ) -> Tensor:  # fmt: skip
        """Use this component inside another one under a name; return its only result."""
        results = self.apply(*inputs, name=name, recompute=recompute)
        if len(results) != 1:
            raise DefinitionError(
                f"{type(self).__name__} returns {len(results)} tensors; take them with "
                "y, z = component.apply(…)."
            )
        return results[0]

    def apply(
        self, *inputs: Tensor | None, name: str = "", recompute: bool = False
    ) -> tuple[Tensor, ...]:  # fmt: skip
        """Use this component inside another one; return all its results.

        With ``recompute`` nothing inside it is kept; the backward pass runs it again.
        """
        name = name or snake(type(self).__name__)
        return self.apply_in(use_of(self, name, recompute), inputs)

    def apply_in(self, scope: Scope, inputs: tuple[Tensor | None, ...]) -> tuple[Tensor, ...]:
        """Build the computation in a given scope, its types checked against the signature."""
        if scope.recompute and current_region():
            raise DefinitionError(
                f"{type(self).__name__} cannot be recomputed inside a component that states its "
                f"pull-back: say there what is computed again.{where(scope)}"
            )
        pattern = typed(self)
        groups = (a for o in (*pattern.inputs, *pattern.outputs) for a in o.axes if len(a) != 1)
        for group in groups:
            if self.size_of(group) is None:
                raise PatternError(
                    f'"{self.signature}" merges {" and ".join(group)}, but not all of these are '
                    f"sizes of {type(self).__name__}: say what they are in its fields."
                )
        sizes: dict[str, Expr] = {}
        lead: list[Shape] = []
        labels = [p.name for p in entering(self)]
        entered = {n: x for n, x in zip(labels, inputs, strict=False) if x is not None}
        if set(needed(self)) - set(entered) or len(inputs) > len(pattern.inputs):
            raise ShapeError(
                f'{type(self).__name__} takes "{self.signature}" as {", ".join(labels)}, '
                f"but {len(inputs)} arrived.{where(scope)}"
            )
        operands = dict(zip(labels, pattern.inputs, strict=False))
        for label, x in entered.items():
            self._fit(operands[label], x, sizes, lead, scope, label)
        scope.entered.update(entered)
        region = Region(self.pullback) if hasattr(self, "pullback") else None
        with inside(scope, region), placed(scope):
            result = self.forward(*inputs)
        if not isinstance(result, Steps):
            raise DefinitionError(
                f"{type(self).__name__}.forward returned {type(result).__name__}: "
                "end it with `return steps(name=value, …)`."
            )
        scope.steps.update(result.named)
        outputs = result.last(len(pattern.outputs))
        if len(outputs) < len(pattern.outputs):
            raise DefinitionError(
                f'{type(self).__name__} returns "{self.signature.partition("->")[2].strip()}", '
                f"but the number of its steps is {len(outputs)}."
            )
        for operand, y in zip(pattern.outputs, outputs, strict=True):
            self._fit(operand, y, sizes, lead, scope)
        if region:
            for label in entered.keys() & result.named.keys():
                if entered[label] is not result.named[label]:
                    raise DefinitionError(
                        f"{type(self).__name__} names a step {label}, like an input: its stated "
                        "pull-back could not tell them apart."
                    )
            region.named.update({**entered, **result.named})
            region.outputs = outputs
        return outputs

    def _fit(
        self, operand: Operand, x: Tensor, sizes: dict[str, Expr], lead: list[Shape], scope: Scope,
        label: str = "",
    ) -> None:  # fmt: skip
        axes, shape = operand.axes, x.shape
        if operand.has_ellipsis:
            axes = axes[1:]
            leading = max(len(shape) - len(axes), 0)
            lead.append(shape[:leading])
            shape = shape[leading:]
        rows: list[str] = []
        known: dict[str, Expr] = {}
        if len(axes) != len(shape):
            least = "at least " if operand.has_ellipsis else ""
            rows.append(f"    axes:  expected {least}{len(axes)},  got {x.rank}")
        elif operand.has_ellipsis and lead[-1] != lead[0]:
            rows.append(f"    axes ...:  expected {show(lead[0])},  got {show(lead[-1])}")
        for axis, length in zip(axes, shape, strict=True) if not rows else ():
            size = self.size_of(axis)
            if size is None:
                size = sizes.setdefault(axis[0], length)
            if len(axis) == 1:
                known[axis[0]] = size
            if size is not length and size != length:
                rows.append(f"    axis {' '.join(axis)}:  expected {size},  got {length}")
        if rows:
            verb, what = ("takes", label) if label else ("returns", "the result")
            meaning = ", ".join(f"{n} = {size}" for n, size in known.items() if str(size) != n)
            raise ShapeError(
                f"{type(self).__name__} {verb} {operand}{meaning and ' with ' + meaning}, "
                f"but {what} is {show(x.shape)}.\n" + "\n".join(rows) + where(scope)
            )

    def size_of(self, axis: tuple[str, ...]) -> Expr | None:
        """Return the length that this component's fields give to an axis of its signature."""
        found = [getattr(self, name, None) for name in axis]
        if not all(isinstance(n, Expr | int) and not isinstance(n, bool) for n in found):
            return None
        first, *others = map(as_size, found) if found else (as_size(1),)
        return reduce(mul, others, first)


@lru_cache(maxsize=None, typed=True)
def _below(given: Expr, low: int) -> bool:
    """Whether a size is less than a number for certain; most are given many times."""
    decidable = given.is_number or given.could_extract_minus_sign()
    return bool(decidable and (given - low).is_negative)


def where(scope: Scope) -> str:
    """Say where in the model a component is used, innermost first: ``in Block › down``."""
    parts: list[str] = []
    at = scope
    while at.parent is not None and at.parent.component is not None:
        parts.append(f"{type(at.parent.component).__name__} › {at.name}")
        at = at.parent
    return PLACE + ",  in ".join(parts) if parts else ""


@contextmanager
def placed(scope: Scope) -> Iterator[None]:
    """Let what a verb of a ``forward`` refuses say whose that is: ``in SpatialGating (its file)``.

    Raises:
        DefinitionError: what was refused inside.
    """
    try:
        yield
    except (PatternError, ShapeError) as error:
        if PLACE in str(error):
            raise
        kind = type(scope.component)
        at = f" ({kind.__module__.replace('.', '/')}.py)" * kind.__module__.startswith("symledger.")
        above = where(scope).replace(PLACE, ",  in ", 1)
        raise type(error)(f"{error}{PLACE}{kind.__name__}{at}{above}") from error


def typed(component: Component) -> Pattern:
    """Return the type line of a component, read.

    Raises:
        PatternError: there is none, or it cannot be read.
    """
    try:
        return parse(component.signature)
    except PatternError as error:
        kind = type(component).__name__
        if component.signature:
            raise PatternError(f"the signature of {kind}: {error}") from error
        raise PatternError(
            f"{kind} has no signature: say what goes in and what comes out, as in "
            'signature: ClassVar[str] = "... d_in -> ... d_out".'
        ) from error


def needed(component: Component) -> list[str]:
    """Return the names of the inputs that a component's ``forward`` cannot do without."""
    return [p.name for p in entering(component) if p.default is inspect.Parameter.empty]


def entering(component: Component) -> tuple[inspect.Parameter, ...]:
    """Return what enters a component's ``forward``."""
    kind = type(component)
    if kind not in _ENTERING:
        _ENTERING[kind] = tuple(inspect.signature(component.forward).parameters.values())
    return _ENTERING[kind]


_ENTERING: dict[type[Component], tuple[inspect.Parameter, ...]] = {}
"""What enters the ``forward`` of each class: it is asked for at every use of a component."""
