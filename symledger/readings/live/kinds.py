"""Of what is alive at a moment, what is what: an amount for every storage, by its kind."""

from __future__ import annotations

from dataclasses import dataclass

from symledger import algebra
from symledger.ir.ops import Input
from symledger.ir.tensor import Scope
from symledger.readings.live.held import END, Held, Prices
from symledger.readings.live.moments import Moment, size
from symledger.readings.live.timeline import Timeline
from symledger.readings.saved import label
from symledger.readings.tally import Amount, Tally

KINDS = ("gradients", "inputs", "cache", "kept", "working")
"""Gradients of weights; what enters the whole; what decoding keeps; values kept for the backward
pass; and the rest, what operations work with."""


@dataclass(frozen=True)
class Alive:
    """The passes of a program with the bytes of their storages: what lines are made of."""

    timeline: Timeline
    bytes_of: Prices

    def tally(self, moment: Moment) -> tuple[tuple[str, Tally], ...]:
        """Return the amounts alive at a moment, one tally for each kind that there is."""
        found: dict[str, list[Amount | Tally]] = {kind: [] for kind in KINDS}
        ends = dict(moment.ends)
        for held in self.timeline.held:
            if held.at(moment.number):
                terms = algebra.substitute(size(held, self.bytes_of), ends)
                own = algebra.expression(terms)
                t = held.tensor
                found[self.kind(held)].append(Amount(t.scope, own, label(t), t.shape))
        scope: Scope = self.timeline.program.scope
        return tuple((kind, Tally(scope, tuple(items))) for kind, items in found.items() if items)

    def kind(self, held: Held) -> str:
        """Say what a storage is."""
        timeline, op = self.timeline, held.tensor.op
        if held.lasting:
            return "gradients"
        if held.tensor in timeline.program.inputs:
            return "inputs"
        if timeline.remembering:
            remembered = isinstance(op, Input) and op.remembered
            return "cache" if remembered or held.last >= END else "working"
        return "kept" if held.born < timeline.turn <= held.last else "working"
