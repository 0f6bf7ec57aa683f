"""Adapted maps: a low-rank update of weights that stay as they are, put in while building.

y = xW becomes y = xW + (α/r)·(xA)B: A takes what W sums over to r numbers, B these to what W gives.
That is done to contractions with a weight, of any definition; the adapters are the only weights
that are trained. What is kept, pulled back and alive follows from the program, as ever.

Source: Hu et al., *LoRA: Low-Rank Adaptation of Large Language Models* (2021), section 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from sympy import Integer

from symledger.errors import BadInput, nearest, shown
from symledger.ir.building import current_region, current_scope, note_weight
from symledger.ir.ops import Contract, Param, View
from symledger.ir.shapes import Shape
from symledger.ir.tensor import Program, Tensor

USUAL = ("Q", "V")
"""The maps that are adapted unless some are named: those to queries and to values."""
SCALE = Integer(2)
"""What the update is scaled by, α/r: a number that no count depends on."""
WRITTEN = re.compile(r"r=([1-9][0-9]{0,5})(?::(.*))?")
RANK = "rank"


@dataclass
class Adaptation:
    """The rank, and which maps are adapted: their path, or one around it, ends with a name."""

    rank: int
    names: tuple[str, ...]
    known: set[str] = field(default_factory=set)
    met: set[str] = field(default_factory=set)
    made: dict[Tensor, tuple[Tensor, Tensor]] = field(default_factory=dict)
    summed: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def takes(self, path: tuple[str, ...]) -> bool:
        """Whether the map of a component is adapted."""
        self.known.add(".".join(path))
        around = [f".{'.'.join(path[: i + 1])}" for i in range(len(path))]
        found = {n for n in self.names if any(p.endswith(f".{n}") for p in around)}
        self.met |= found
        return bool(found)


ADAPTATION: ContextVar[Adaptation | None] = ContextVar("adaptation", default=None)


def read_adaptation(text: str) -> Adaptation | None:
    """Read which maps are adapted, and the rank: ``r=16``, ``r=8:attention.Q,feed_forward``.

    Raises:
        BadInput: it is none.
    """
    if not text:
        return None
    found = WRITTEN.fullmatch(text.strip())
    names = tuple(filter(None, (n.strip() for n in (found[2] or "").split(",")))) if found else ()
    if found is None or (found[2] is not None and not names):
        raise BadInput(
            f"{shown(text)} is no LoRA: write the rank, and the maps that are adapted if these are "
            f"not {' and '.join(USUAL)}, as in r=16 or r=16:attention,feed_forward.down"
        )
    return Adaptation(int(found[1]), names or USUAL)


@contextmanager
def adapting(adaptation: Adaptation | None) -> Iterator[None]:
    """Build programs with some maps adapted.

    Raises:
        BadInput: a name is that of no map.
    """
    token = ADAPTATION.set(adaptation)
    try:
        yield
    finally:
        ADAPTATION.reset(token)
    for name in adaptation.names if adaptation else ():
        if name not in adaptation.met:  # type: ignore[union-attr]  # there are names
            raise BadInput(
                f"no linear map is named {shown(name)}. "
                + nearest(name, adaptation.known)  # type: ignore[union-attr]  # as above
            )


def check(adaptation: Adaptation, program: Program) -> None:
    """Refuse an adapted weight that is used in another way as well: adapters would be left out.

    Raises:
        BadInput: there is one.
    """
    for body in program.bodies:
        for t in body.tensors:
            for weight in t.args:
                if weight in adaptation.made and not isinstance(t.op, Contract):
                    raise BadInput(
                        f"{body.path(weight)} is not only multiplied by, and how it is adapted "
                        "where it is not is not derived: leave it out of --lora."
                    )


def adapted(y: Tensor) -> Tensor:
    """Return a contraction with its update, if it is one with a weight that is adapted."""
    adaptation = ADAPTATION.get()
    assert isinstance(y.op, Contract)
    if adaptation is None:
        return y
    for place, weight in enumerate(y.args[:2]):
        seen = weight
        while isinstance(seen.op, View):
            seen = seen.args[0]
        if isinstance(seen.op, Param) and adaptation.takes(current_scope().path):
            _check(y, weight, seen)
            return _updated(y, y.args[1 - place], weight, adaptation)
    return y


def _check(y: Tensor, weight: Tensor, seen: Tensor) -> None:
    """Refuse what is no plain map."""
    assert isinstance(y.op, Contract)
    left, right = y.op.left, y.op.right
    shared = set(left) & set(right) & set(y.op.out)
    if weight is not seen or shared or y.op.pairs or current_region() is not None:
        path = ".".join((*current_scope().path, getattr(seen.op, "name", "")))
        raise BadInput(
            f"{path} is multiplied by in another way than a matrix is (in another shape than its "
            "own, one for each expert or head, or within a fused body), and how it is adapted then "
            "is not derived: leave it out of --lora."
        )


def _updated(y: Tensor, x: Tensor, weight: Tensor, adaptation: Adaptation) -> Tensor:
    op = y.op
    assert isinstance(op, Contract)
    names, given = (op.left, op.right) if y.args[0] is weight else (op.right, op.left)
    summed = tuple(i for i, n in enumerate(names) if n not in op.out)
    path = ".".join(current_scope().path)
    if adaptation.summed.setdefault(path + str(weight.op), summed) != summed:
        raise BadInput(
            f"{path} is multiplied by along other axes elsewhere, and how it is adapted there is "
            "not derived: leave it out of --lora."
        )
    outs = tuple(i for i in range(len(names)) if i not in summed)
    if weight not in adaptation.made:
        rank = Integer(adaptation.rank)
        adaptation.made[weight] = (
            _adapter(weight, "A", (*(weight.shape[i] for i in summed), rank)),
            _adapter(weight, "B", (rank, *(weight.shape[i] for i in outs))),
        )
    a, b = adaptation.made[weight]
    kept = tuple(n for n in op.out if n in given)
    middle = (*kept, RANK)
    lengths = dict(zip(given, x.shape, strict=True))
    thin = Tensor(
        Contract(given, (*(names[i] for i in summed), RANK), middle), (x, a),
        (*(lengths[n] for n in kept), Integer(adaptation.rank)),
    )  # fmt: skip
    update = Tensor(
        Contract(middle, (RANK, *(names[i] for i in outs)), op.out), (thin, b), y.shape
    )
    found: Tensor = y + update * SCALE
    return found


def _adapter(weight: Tensor, which: str, shape: Shape) -> Tensor:
    assert isinstance(weight.op, Param)
    made = Tensor(Param(f"{weight.op.name}_{which}", adapts=True), (), shape)
    note_weight(made)
    return made
