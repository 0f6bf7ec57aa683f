"""Products in fewer bits: what is multiplied by a weight is cast first, and kept as it was cast.

That is done to contractions with a weight, of any definition, while its program is built: the cast
is an operation like others, so what is kept, pulled back and alive follows from the program. What
all the maps of one tensor are given is cast once.

Source: DeepSeek-AI, *DeepSeek-V3 Technical Report* (2024), sections 3.2.3, 3.3.1 and 3.3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from sympy import Expr

from symledger.errors import BadInput
from symledger.ir import scalars
from symledger.ir.building import current_region, current_scope, inside
from symledger.ir.casts import ATTENDED, CASTS, TILE, USUAL
from symledger.ir.ops import (
    Contract,
    Join,
    Map,
    Pad,
    Param,
    Rearrange,
    Slice,
    Storage,
    View,
    Windows,
)
from symledger.ir.shapes import product
from symledger.ir.tensor import Scope, Tensor, pointwise

PLAIN = ("head", "router")
"""What keeps the precision of values: beside norms and attention, which multiply by no matrix."""


@dataclass
class Products:
    """How products with weights are computed while a program is built, and what was cast."""

    kind: str
    cast: dict[Tensor, Tensor] = field(default_factory=dict)
    tiled: dict[str, Expr] = field(default_factory=dict)

    def storage(self, scope: Scope, x: Tensor) -> Storage | None:
        """What the operand of a map is cast to; of some maps, nothing."""
        if any(part in PLAIN for part in scope.path):
            return None
        return CASTS[self.kind][ATTENDED if is_attended(x, scope.parent) else USUAL]

    def check(self, at: Mapping[Expr, Expr]) -> None:
        """Refuse sizes at which a tile would not be filled.

        Raises:
            BadInput: a length is no whole number of tiles.
        """
        for path, length in self.tiled.items():
            found = (length / TILE).xreplace(dict(at))
            if found.is_number and not found.is_Integer:
                raise BadInput(
                    f"what is multiplied by the weights of {path} is {length} = {found * TILE} "
                    f"long, no whole number of the {TILE} elements that share a scale in "
                    f"{self.kind}: formulas are exact where all are filled."
                )

    @property
    def lengths(self) -> tuple[Expr, ...]:
        """How many tiles there are of a row: whole numbers."""
        return tuple(dict.fromkeys(length / TILE for length in self.tiled.values()))


PRODUCTS: ContextVar[Products | None] = ContextVar("products", default=None)


@contextmanager
def multiplying(products: Products | None) -> Iterator[None]:
    """Build programs whose products with weights are in fewer bits."""
    token = PRODUCTS.set(products)
    try:
        yield
    finally:
        PRODUCTS.reset(token)


def operands(op: Contract, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return both tensors of a contraction, the one that a weight is multiplied by cast."""
    products = PRODUCTS.get()
    if products is None or current_region() is not None:
        return left, right
    for x, names, weight in ((left, op.left, right), (right, op.right, left)):
        if isinstance(_seen(weight).op, Param) and len(_seen(weight).shape) > 1:
            scope = current_scope()
            storage = products.storage(scope, x)
            if storage is None:
                return left, right
            summed = (n for n, name in zip(x.shape, names, strict=True) if name not in op.out)
            products.tiled[".".join(scope.path)] = product(tuple(summed))
            made = _cast(products, x, storage)
            return (made, right) if x is left else (left, made)
    return left, right


def narrowed(x: Tensor) -> Tensor:
    """Return what enters a part that is run again, cast as the operand of a map would be."""
    products = PRODUCTS.get()
    if products is None or current_region() is not None:
        return x
    products.tiled[".".join(current_scope().path)] = x.shape[-1]
    return _cast(products, x, CASTS[products.kind][USUAL])


def is_attended(x: Tensor, within: Scope | None) -> bool:
    """Whether a tensor is what attention gives: values weighed by what a softmax gave.

    Behind that sum nothing is done but views, functions of single elements and norms, and all of it
    in one component: what goes through another map before is that map's.
    """
    pending, met = [x], set[Tensor]()
    while pending:
        t = pending.pop()
        if t in met or not _is_in(t.scope, within):
            continue
        met.add(t)
        match t.op:
            case Contract():
                given = t.args[:2]
                weighed = not any(isinstance(_seen(y).op, Param) for y in given)
                if weighed and any(map(_is_fused, (t, *given))):
                    return True
            case Rearrange() | Slice() | Pad() | Join():
                pending += t.args
            case Map():
                pending += (y for y in t.args if y.size == t.size)
    return False


def _is_fused(t: Tensor) -> bool:
    """Whether a tensor arises in a fused body, as in a softmax, or is that, elements dropped."""
    while t.region is None and isinstance(t.op, View | Map) and t.args:
        t = max(t.args, key=lambda y: y.region is not None)
    return t.region is not None


def _is_in(scope: Scope | None, outer: Scope | None) -> bool:
    while scope is not outer and scope is not None:
        scope = scope.parent
    return scope is outer


def _seen(x: Tensor) -> Tensor:
    while isinstance(x.op, View):
        x = x.args[0]
    return x


def _cast(products: Products, x: Tensor, storage: Storage) -> Tensor:
    """Cast a tensor once, below the views in which it is only seen in another shape.

    Raises:
        BadInput: it is seen through windows, of which no tile is known.
    """
    if isinstance(x.op, Rearrange) and x.region is None and x.size == x.args[0].size:
        below = _cast(products, x.args[0], storage)
        return Tensor(x.op, (below,), x.shape, below.storage, scope=below.scope)
    if isinstance(x.op, Windows):
        path = ".".join(current_scope().path)
        raise BadInput(
            f"what {path} multiplies by its weights is seen through windows, and how that is cut "
            f"into tiles of {products.kind} is not derived."
        )
    if x.storage != "value":
        return x
    if x not in products.cast:
        with inside(_scope(x)):
            products.cast[x] = pointwise(scalars.COPY, x, storage=storage)
        for name, named in (x.region.named if x.region else {}).items():
            if storage != CASTS[products.kind][USUAL] and named is x:
                x.region.named[name] = products.cast[x]  # type: ignore[union-attr]  # it has names
    return products.cast[x]


def _scope(x: Tensor) -> Scope:
    """Where a cast belongs: to what is run again, if that made the tensor; else to the map."""
    scope: Scope | None = x.scope
    while scope is not None:
        if scope.recompute:
            return x.scope
        scope = scope.parent
    return current_scope()

