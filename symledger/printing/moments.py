"""Moments of a step in words: which part of the model, in which application, in which pass."""

from __future__ import annotations

from collections import Counter

from symledger.ir.ops import Param
from symledger.languages.message import Text, Verbatim, joined, message
from symledger.languages.words import part
from symledger.ledger.at_moment import AtMoment
from symledger.readings.live.held import BACKWARD, FORWARD, STEP, Place

PASSES = {way: f"peak.{way}" for way in (FORWARD, BACKWARD, STEP)}


def named(moments: tuple[AtMoment, ...]) -> dict[AtMoment, Text]:
    """Name moments; those of the same part are numbered in the order of time."""
    names = {m: where(m) for m in moments}
    alike, seen = Counter(map(str, names.values())), Counter[str]()
    for m, name in names.items():
        seen[str(name)] += 1
        if alike[str(name)] > 1:
            names[m] = message("peak.of_several", moment=name, n=seen[str(name)])
    return names


def where(m: AtMoment) -> Text:
    """Say where a moment is: ``last block › attention › core, backward``."""
    step = m.moment.step
    path = step.made.scope.path
    which = {p.op.body.scope.path: (p, number) for p, number in m.moment.applications}
    parts = [_part(path[: i + 1], which.get(path[: i + 1])) for i in range(len(path))]
    place = joined(parts, " › ") if parts else message("peak.outermost")
    if step.way == STEP:
        op = step.made.op
        place = (joined((place, Verbatim(op.name)), " › ") if isinstance(op, Param)
                 else message("peak.all_weights"))  # fmt: skip
    return joined((place, message(PASSES[step.way])))


def _part(path: tuple[str, ...], which: tuple[Place, str] | None) -> Text:
    name = part(path[-1])
    if which is None or not which[1]:
        return name
    place, number = which
    if place.index is not None:
        return message("peak.numbered", part=name, number=Verbatim(number))
    return message(f"peak.{number.replace(' ', '_')}", part=name)
