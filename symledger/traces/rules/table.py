"""The table of rules: an operation's name, and how it is written in operations of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Integer, Rational, cancel, oo

from symledger.errors import BadInput, DefinitionError
from symledger.ir.ops import Storage
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.traces.graph import Kind


@dataclass(frozen=True)
class Complex:
    """Complex numbers: two tensors of the shape that PyTorch says."""

    real: Tensor
    imaginary: Tensor

    @property
    def shape(self) -> tuple[Expr, ...]:
        """The shape, as PyTorch says it."""
        return self.real.shape

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.real.rank


Value = Tensor | Complex
Made = Value | tuple[Value, ...]
Rule = Callable[..., Made]
RULES: dict[str, Rule] = {}
"""By name. A rule takes where it is used, then the operation's arguments by name."""
COMPLEX: dict[str, Rule] = {}
"""Rules where an argument is made of complex numbers."""
PARTWISE: set[str] = set()
"""Operations that do to complex numbers what they do to their two parts."""
STORAGE: Mapping[str, Storage] = {"float": "value", "int": "index", "bool": "mask"}
"""What a tensor of ours holds, by what PyTorch's elements are."""


def rule(
    *names: str, partwise: bool = False, into: dict[str, Rule] = RULES
) -> Callable[[Rule], Rule]:  # fmt: skip
    """Enter a rule into the table, under the names of the operations that it holds for.

    With ``partwise`` it is applied to both parts of complex numbers, too. One that takes complex
    numbers as they are stands in a table of its own, COMPLEX.
    """

    def enter(written: Rule) -> Rule:
        for name in names:
            assert name not in into, name
            into[name] = written
        PARTWISE.update(names if partwise else ())
        return written

    return enter


class Refused(BadInput):
    """A use of an operation that is not understood; for lengths that are numbers it may be.

    ``lengths`` are these; where they are ``several``, all of them have to be numbers.
    """

    def __init__(self, said: str, lengths: Iterable[Expr] = (), several: bool = False) -> None:
        super().__init__(said)
        self.lengths, self.several = tuple(lengths), several


@dataclass(frozen=True)
class At:
    """Where a rule is used: the operation, what it is to make, and where it stands."""

    operation: str
    results: tuple[Kind, ...]
    path: str
    line: str
    points: tuple[Mapping[Expr, int], ...] = ()

    @property
    def shape(self) -> tuple[Expr, ...]:
        """The shape of the first result."""
        return self.results[0].shape

    @property
    def storage(self) -> Storage:
        """What the first result holds."""
        return STORAGE.get(self.results[0].elements, "value")

    def divides(self, small: Expr, large: Expr) -> bool:
        """Whether a size is a factor of another one, wherever the module was run."""
        quotient = quotient_of(large, small)
        if quotient.is_Integer:
            return True
        if not quotient.free_symbols:
            return False
        return all(valued(quotient, point).is_Integer for point in self.points)

    def is_least(self, small: Expr, large: Expr) -> bool:
        """Whether a size is at most another one, wherever the module was run."""
        left = large - small
        if not left.free_symbols:
            return bool(left >= 0)
        return bool(self.points) and all(valued(left, p).is_nonnegative for p in self.points)

    def is_negative(self, n: Expr) -> bool:
        """Whether a number is below zero: a sum of both signs, wherever the module was run."""
        signs = {valued(n, point).is_negative for point in self.points}
        return signs == {True} if len(signs) == 1 and None not in signs else minus(n)

    def refused(self, why: str, *lengths: Expr) -> Refused:
        """Return the refusal of this use, with the place; it is one unless ``lengths`` are known.

        Where none are named, it may be by any that comes out.
        """
        where = self.path or "the module's own forward"
        line = f", {self.line}" if self.line else ""
        said = f"{self.operation} in {where}{line}: {why}"
        made = (n for kind in self.results for n in kind.shape)
        return Refused(said, lengths or made, bool(lengths))


def parts(arguments: Any, name: str) -> Any:
    """Return arguments with one part, ``real`` or ``imaginary``, in place of complex numbers."""
    if isinstance(arguments, Complex):
        return getattr(arguments, name)
    if isinstance(arguments, tuple):
        return tuple(parts(a, name) for a in arguments)
    return arguments


def is_complex(argument: Any) -> bool:
    """Whether there are complex numbers in an argument."""
    if isinstance(argument, tuple):
        return any(map(is_complex, argument))
    return isinstance(argument, Complex)


def quotient_of(large: Expr, small: Expr) -> Expr:
    """Divide a size by another one; sums are reduced, and what is nothing is once in itself."""
    if large == small:
        return ONE
    found = large / small
    return cancel(found).expand() if found.has(Add) else found


def minus(n: Expr) -> bool:
    """Whether a number is written with a minus, which of a sum of both signs says little."""
    return bool(n.could_extract_minus_sign())


def valued(e: Expr, point: Mapping[Expr, int]) -> Expr:
    """Return an expression with the numbers of a point in place of its sizes."""
    return e.xreplace({s: Integer(n) for s, n in point.items()})


def number(x: Any) -> Expr:
    """Return a number of a call as an exact one."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, float):
        return oo if x == float("inf") else -oo if x == float("-inf") else Rational(repr(x))
    if not isinstance(x, int):  # a complex one
        raise DefinitionError(f"{x} is no number that is understood.")
    return Rational(int(x))


def axes_of(dim: Any, rank: int) -> tuple[int, ...]:
    """Return the places of some axes; of all, where none are named."""
    several = () if dim is None else dim if isinstance(dim, tuple) else (dim,)
    return tuple(sorted({axis_of(d, rank) for d in several})) or tuple(range(rank))


def axis_of(axis: Any, rank: int) -> int:
    """Return the place of an axis that is counted from either end."""
    return int(axis) % max(rank, 1)
