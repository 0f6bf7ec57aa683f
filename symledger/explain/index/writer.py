"""An owner's surveys as text: JSON, a line of text for each thing that outlines share.

Things are numbered as they are met, by each owner for itself: what is added to one changes no
other. A line of a derivation stands once, however many outlines have it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from symledger.explain.branch import Branch
from symledger.explain.index.notation import FORMAT, written
from symledger.explain.index.outline import Frame, Outline, Survey
from symledger.explain.index.readings import ALL
from symledger.explain.sums import ONCE


def text(surveys: Mapping[str, Survey]) -> str:
    """Write the surveys of an owner, each by the quantity that its choices are told by."""
    w = Writer()
    told = [
        f"{_json(quantity)}: [{_json(survey.choices)}, {_json(w.survey(survey))}]"
        for quantity, survey in surveys.items()
    ]
    outlines = [_json(w.outline(several)) for several in w.outlines.values()]
    return (
        f'{{"format": {FORMAT},\n"surveys": {{\n{_rows(told)}}},\n'
        f'"outlines": [\n{_rows(outlines)}],\n"frames": [\n{_rows(w.frames)}],\n'
        f'"sizes": [\n{_rows(w.sizes)}],\n'
        f'"lines": [\n{_rows(w.lines)}]}}\n'
    )


def _json(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


def _rows(texts: Iterable[str]) -> str:
    return ",\n".join(texts)


class Numbered(dict[str, int]):
    """Things written in JSON, each once, by their numbers."""

    def of(self, thing: object) -> int:
        """Return the number of a thing."""
        return self.setdefault(_json(thing), len(self))


class Writer:
    """What outlines share, numbered as it is met; outlines with the same choices are one."""

    def __init__(self) -> None:
        self.frames, self.sizes, self.lines = Numbered(), Numbered(), Numbered()
        self.outlines: dict[object, list[Outline]] = {}

    def survey(self, survey: Survey) -> list[int]:
        """Return the numbers of the outlines of a survey."""
        for drawn in survey.outlines:
            self.outlines.setdefault((drawn.changed, drawn.case), []).append(drawn)
        places = {key: i for i, key in enumerate(self.outlines)}
        return [places[drawn.changed, drawn.case] for drawn in survey.outlines]

    def outline(self, several: Iterable[Outline]) -> list[object]:
        """Return an outline, of which each survey knows other lines, as JSON data."""
        one, *_ = several = list(several)
        roots = {a: root for drawn in several for a, root in drawn.lines.items() if root}
        return [
            one.changed, one.case, self.frame(one.frame), self.sizes.of(
                [{s.name: written(p) for s, p in one.equations.items()}, one.bindings]
            ),
            [self.line(roots[a]) if a in roots else -1 for a in ALL],
        ]  # fmt: skip

    def frame(self, f: Frame) -> int:
        """Return the number of a frame."""
        return self.frames.of(
            [" ".join(f.symbols), f.defaults, f.definitions, f.lengths, f.bounds, f.configuration]
        )

    def line(self, line: Branch) -> int:
        """Return the number of a line; those of its parts are lower."""
        if not (line.kind or line.parts):
            axes = map(written, line.axes or ())
            return self.lines.of([line.label, written(line.own), *axes])
        times = [written(line.times)] if line.times is not ONCE else []
        return self.lines.of(
            [line.label, line.kind, [self.line(part) for part in line.parts], *times]
        )
