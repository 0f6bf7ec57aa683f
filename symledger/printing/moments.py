"""Moments of a step in words: which part of the model, in which application, in which pass."""

from __future__ import annotations

from collections import Counter

from symledger.ir.ops import Param
from symledger.languages.message import Text, Verbatim, joined, message
from symledger.languages.words import part
from symledger.ledger.at_moment import AtMoment, AtStep
from symledger.ledger.eager import AtEager
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
    if isinstance(m, AtEager):
        return _operation(m)
    assert isinstance(m, AtStep)
    path = m.moment.step.made.scope.path
    which = {p.op.body.scope.path: (p, number) for p, number in m.moment.applications}
    parts = [_part(path[: i + 1], which.get(path[: i + 1])) for i in range(len(path))]
    place = joined(parts, " › ") if parts else message("peak.outermost")
    if m.way == STEP:
        op = m.moment.step.made.op
        place = (joined((place, Verbatim(op.name)), " › ") if isinstance(op, Param)
                 else message("peak.all_weights"))  # fmt: skip
    return joined((place, message(PASSES[m.way])))


def _operation(m: AtEager) -> Text:
    """Say after which operation of PyTorch: ``last h.* › attn, aten.bmm, backward``."""
    around, stars, inner = m.path.partition("*")
    parts: list[Text] = [Verbatim(around + stars)] if around + stars else []
    parts = parts or [message("peak.outermost")]
    if m.which:
        parts[0] = message(f"peak.{m.which}", part=parts[0])
    parts += [Verbatim(inner.lstrip("."))] if inner else []
    return joined((joined(parts, " › "), Verbatim(m.operation), message(PASSES[m.way])))


def _part(path: tuple[str, ...], which: tuple[Place, str] | None) -> Text:
    name = part(path[-1])
    if which is None or not which[1]:
        return name
    place, number = which
    if place.index is not None:
        return message("peak.numbered", part=name, number=Verbatim(number))
    return message(f"peak.{number.replace(' ', '_')}", part=name)
