"""The operations: few, closed, and everything else is made of them.

An operation is only a name with its settings. What it costs, how it is pulled back, how NumPy
runs it and how it is written down belongs to the readings, each a ``match`` over these types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Symbol

from symledger.ir.scalars import Scalar

Stated = Literal["value", "statistic", "mask", "index"]
"""What a definition says that a tensor holds."""
Storage = Literal[Stated, "half", "fp8", "e5m6"]
"""What a tensor holds, which decides how many bytes an element takes: a convention. Values are cast
to the last two where products are asked for in fewer bits; they are of 16 bits, ``half``, where a
program says the type of each."""


@dataclass(frozen=True)
class Input:
    """Data from outside; ``below`` is set for whole numbers (token ids), which have no gradient.

    ``keep`` is set for a mask of ones and zeros: the chance that an element is one; ``chance``
    says that the elements are chances, between 0 and 1; ``drawn`` that they are random numbers
    between these; ``remembered`` is set for what earlier steps have left: neither has a gradient.
    Its last axis may be as long only on
    ``average``: rows of experts, of which one has more than another.
    """

    name: str
    below: Expr | None = None
    keep: Expr | None = None
    chance: bool = False
    drawn: bool = False
    remembered: bool = False
    average: bool = False

    @property
    def varies(self) -> bool:
        """Whether it is made of real numbers that a gradient may be asked for."""
        whole = self.below is not None or self.keep is not None
        return not (whole or self.drawn or self.remembered)


@dataclass(frozen=True)
class Param:
    """A weight. Using the same tensor twice is tying.

    ``used``, where set, says (k, E): the weight is that of E experts side by side along its first
    axis, of which k are used for a token. One that ``adapts`` another is trained in any case.
    """

    name: str
    trainable: bool = True
    used: tuple[Expr, Expr] | None = None
    adapts: bool = False


@dataclass(frozen=True)
class Const:
    """A table that is computed, not learned: ``formula`` gives the element at each index.

    It is applied only when somebody asks for the elements: most readings need but the shape.
    ``within`` are pairs (a, b) of which a may not exceed b, if the formula is to hold.
    """

    name: str
    rank: int
    formula: Callable[..., Expr]
    within: tuple[tuple[Expr, Expr], ...] = ()

    @property
    def indices(self) -> tuple[Symbol, ...]:
        """One symbol for each axis."""
        return tuple(Symbol(f"_i{place}", integer=True) for place in range(self.rank))

    @property
    def value(self) -> Expr:
        """The element, as an expression in ``indices`` and sizes."""
        return self.formula(*self.indices)


@dataclass(frozen=True)
class Pairs:
    """Which (query, key) pairs count: the axes' index names, and how many pairs are true.

    The table itself is the third argument of the Contract: 0 where a pair counts. ``window``,
    where set, is how many keys there are at least for the count to hold, and ``most`` how many at
    most. With ``both`` a query sees keys on either side: half of all pairs is no convention then.
    ``inside``, where set, are so many keys that count in another way: there are never fewer.
    """

    query: str
    key: str
    count: Expr
    window: Expr | None = None
    most: Expr | None = None
    both: bool = False
    inside: Expr | None = None


@dataclass(frozen=True)
class Contract:
    """A sum of products of two tensors over named indices."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    out: tuple[str, ...]
    pairs: Pairs | None = None


@dataclass(frozen=True)
class Map:
    """Scalar code applied to every element; shorter or length-1 axes are broadcast."""

    code: Scalar


@dataclass(frozen=True)
class Sum:
    """The sum along some axes, which stay with length 1."""

    axes: tuple[int, ...]


@dataclass(frozen=True)
class Repeat:
    """Copies along axes of length 1 (or new leading axes): what Sum is pulled back to."""


@dataclass(frozen=True)
class Max:
    """The largest element along the last axis, which stays with length 1."""


@dataclass(frozen=True)
class MaxIndex:
    """Where that largest element stands (the first one); found together with it."""


@dataclass(frozen=True)
class Rearrange:
    """Split, permute, rename and merge axes: the same elements under other indices.

    Both sides group the same names; ``sizes`` holds the length of each name. Where it ``stops``,
    no gradient goes back through it.
    """

    left: tuple[tuple[str, ...], ...]
    right: tuple[tuple[str, ...], ...]
    sizes: tuple[tuple[str, Expr], ...]
    stops: bool = False


@dataclass(frozen=True)
class Slice:
    """A run of positions along an axis."""

    axis: int
    start: Expr
    length: Expr


@dataclass(frozen=True)
class Pad:
    """Zeros around a tensor along an axis: what Slice is pulled back to."""

    axis: int
    start: Expr
    length: Expr


@dataclass(frozen=True)
class Windows:
    """An axis seen through a sliding window: it becomes two, positions and offsets.

    Element (o, k) is the one at o·stride + k·dilation − padding, or ``fill`` outside the axis.
    Windows end within the padding; only with ``past`` does one that starts there reach past it.
    """

    axis: int
    stride: Expr
    padding: Expr
    dilation: Expr
    fill: Expr
    past: bool = False


@dataclass(frozen=True)
class Overlap:
    """Windows laid back over their axis, where they overlap added: what Windows is pulled back to.

    What a window has outside the axis is dropped.
    """

    axis: int
    stride: Expr
    padding: Expr
    dilation: Expr
    past: bool = False


@dataclass(frozen=True)
class Join:
    """Tensors one after the other along an axis."""

    axis: int


@dataclass(frozen=True)
class Gather:
    """Rows of a table picked by whole numbers; the first ``batch`` axes are shared."""

    batch: int = 0


@dataclass(frozen=True)
class Scatter:
    """Rows added into a table of zeros at whole numbers: what Gather is pulled back to.

    Of those that come to one place, all of which get some, the ``largest`` may be taken instead, or
    its ``number`` among all rows, element by element: the maximum of sets of different sizes.
    """

    batch: int = 0
    taken: Literal["sum", "largest", "number"] = "sum"


@dataclass(frozen=True)
class Solve:
    """What a triangle of ones and of what stands below them takes to the second tensor.

    Of the first tensor's last two axes, square, only what is below the diagonal is read; on it
    stand ones. Along the second last axis of the second one, each element is what is left of it
    when those before it were taken off; going ``back``, those after it, by the transposed triangle.
    """

    back: bool = False


class Repetition:
    """What applies a program several times: see ``tensor.Call``."""

    times: Expr
    average: bool


Leaf = Input | Param | Const
View = Rearrange | Slice | Pad | Windows
"""The same elements under other indices: their storage is that of the argument."""
Primitive = (
    Leaf | Contract | Map | Sum | Repeat | Max | MaxIndex | View | Join | Overlap
    | Gather | Scatter | Solve
)  # fmt: skip
"""The operations that hold no program; those that do stand in ``tensor``, beside programs."""
