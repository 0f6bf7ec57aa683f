"""Where a module is run so that its lengths can be fitted: at a base, and all around it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from symledger.errors import BadInput
from symledger.tracing.fit import Points
from symledger.tracing.observed import Observed
from symledger.tracing.space import Space

RANDOM, TRIES = 14, 150
AROUND = 6
"""How far from the base a size is changed at least, in its own steps; larger ones by half of
themselves. Every residue of small numbers occurs, and what is divided takes values enough."""


class Refused(BadInput):
    """A point at which a module does not run."""


@dataclass
class Sample:
    """Runs at many points, all of one structure."""

    space: Space
    runs: list[Observed] = field(default_factory=list)

    @property
    def parts(self) -> dict[Symbol, Expr]:
        """What can be changed by itself: sizes in their steps (d/h of d where h divides it)."""
        return parts_of(self.space)

    def valued(self, e: Expr) -> tuple[int, ...]:
        """Return an expression in the arguments at every point."""
        return tuple(self.space.value(e, run.at) for run in self.runs)

    def points(self) -> Points:
        """Return the points, with the value of every size and every part."""
        sizes = [Symbol(name) for name in self.space.sizes]
        parts, at = self.parts, []
        for run in self.runs:
            values = {s: run.at[s.name] for s in sizes}
            for part, e in parts.items():
                if part not in values:
                    values[part] = int(e.xreplace(values))
            at.append(values)
        return Points(sizes, parts, at)


def parts_of(space: Space) -> dict[Symbol, Expr]:
    """Return sizes in the steps in which they can be changed."""
    found: dict[Symbol, Expr] = {}
    for name in space.sizes:
        step = space.steps[name]
        own = Symbol(name)
        found[own if step == 1 else Symbol(f"{name}_part")] = own / step
    return found


def sampled(
    space: Space, further: Iterable[Mapping[str, int]] = (), seed: int = 20260101
) -> Sample:
    """Run a module at a base, with each size changed alone, at random points, and further ones.

    Raises:
        BadInput: what runs depends on a size, or hardly any point is taken.
    """
    rng = random.Random(seed)  # noqa: S311  # points, no secrets
    base = space.observe(space.base)
    found = Sample(space, [base])
    for name in space.sizes:
        step = space.value(space.steps[name])
        for change in (step, -step, 2 * step, -2 * step):
            try:
                _add(found, base, space.moved({name: space.base[name] + change}), name)
            except Refused:
                continue
            break
    for at in further:
        _add(found, base, at, "")
    left = TRIES
    while len(found.runs) < 1 + len(space.sizes) + RANDOM:
        left -= 1
        if left < 0:
            raise BadInput(
                "this module refuses most sizes near those that it was given: what is legal could "
                f"not be found out. The last refusal: {space.failed.get('', 'none')}"
            )
        at = drawn(space, rng)
        try:
            _add(found, base, at, "")
        except Refused as error:
            space.failed[""] = str(error)
    return found


def drawn(space: Space, rng: random.Random) -> dict[str, int]:
    """Draw a point: every size some of its steps from where it is at the base."""
    at = dict(space.base)
    for name in (n for n in space.in_order() if n in space.sizes):
        step = space.steps[name]
        here = space.base[name] // space.value(step)
        around = max(AROUND, here // 2)
        low = max(min(here, 2), here - around)
        at[name] = rng.randint(low, low + 2 * around) * space.value(step, at)
    return at | {tied: at[of] for tied, of in space.ties.items()}


def _add(found: Sample, base: Observed, at: Mapping[str, int], name: str) -> None:
    if min(at[n] for n in found.space.sizes) < 1:
        raise Refused("a size is at least 1.")
    try:
        run = found.space.observe(at)
    except BadInput as error:
        raise Refused(str(error)) from error
    if run.structure != base.structure:
        here = ", ".join(f"{n} = {at[n]}" for n in found.space.sizes if at[n] != base.at[n])
        raise BadInput(
            f"which operations this module runs depends on a size: at {here} they are others than "
            f"before ({difference(base, run)}). Give that size a value of its own in the module, "
            "or trace it at sizes on one side of the change."
        )
    found.runs.append(run)


def difference(a: Observed, b: Observed) -> str:
    """Say where two runs part."""
    for mine, its, step in zip(a.structure, b.structure, b.recording.steps, strict=False):
        if mine != its:
            return f"{its[0]} in {step.path or 'forward'}, {step.line}"
    return f"{len(b.structure):,} operations in place of {len(a.structure):,}"
