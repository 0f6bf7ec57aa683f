"""Recomputed blocks: uses of a component whose inside is not kept, but run again going back.

What enters such a block stays; its forward is built a second time in the backward program,
which then mentions that instead of what was computed on the way there. A component is used so by
``component(x, recompute=True)`` or ``repeat(component, L, x, recompute=True)``.

Source: Chen et al., *Training Deep Nets with Sublinear Memory Cost* (2016), section 4.
"""

from __future__ import annotations

from collections.abc import Iterable

from symledger.ir.tensor import Region, Scope, Tensor, is_leaf


def block_of(t: Tensor, outer: Scope, within: Scope | None = None) -> Scope | None:
    """Return the outermost recomputed block that a tensor was made in, if there is one.

    Args:
        t: the tensor.
        outer: the component whose program it is part of; blocks around that do not count.
        within: a block that is being run again: only those inside it count then.
    """
    found, at = None, t.scope
    while at is not within:
        found = at if at.recompute else found
        if at is outer:
            return found
        if at.parent is None:
            return None
        at = at.parent
    return found


def run_again(block: Iterable[Tensor]) -> dict[Tensor, Tensor]:
    """Build the tensors of a block once more, in order; leaves and what enters stay the same."""
    made: dict[Tensor, Tensor] = {}
    regions: dict[Region, Region] = {}
    for t in block:
        if not is_leaf(t):
            args = tuple(made.get(x, x) for x in t.args)
            region = t.region and regions.setdefault(t.region, Region(t.region.pullback))
            made[t] = Tensor(t.op, args, t.shape, t.storage, scope=t.scope, region=region)
    for old, new in regions.items():
        new.named.update({name: made.get(x, x) for name, x in old.named.items()})
        new.outputs = tuple(made.get(y, y) for y in old.outputs)
    return made
