"""What a module can be built of: its sizes, the steps in which each can be changed, its borders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer, Symbol, floor

from symledger.tracing.folds.observed import Observed
from symledger.tracing.modules.listening import Heard, listening
from symledger.tracing.modules.lists import Lists
from symledger.tracing.modules.subject import Subject
from symledger.tracing.runs.limit import limited
from symledger.tracing.runs.record import record
from symledger.tracing.runs.routes import Routes
from symledger.tracing.spaces.borders import Apart, Border, Indivisible

DEEP = re.compile(r"layers?$|depth|blocks|^L$")
"""What arguments that deepen a module are likely called."""


@dataclass
class Space:
    """The sizes of a module, the steps in which each can be changed, and where it stands."""

    subject: Subject
    base: dict[str, int]
    asked: dict[str, int] = field(default_factory=dict)
    sizes: list[str] = field(default_factory=list)
    depths: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    steps: dict[str, Expr] = field(default_factory=dict)
    heard: list[tuple[Expr, Expr]] = field(default_factory=list)
    floors: list[Expr] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    ties: dict[str, str] = field(default_factory=dict)
    """Arguments that are as large as others, and change with them."""
    least: dict[str, int] = field(default_factory=dict)
    """Below what a size that counts rounds does not show how they repeat."""
    borders: list[Border | Apart | Indivisible] = field(default_factory=list)
    """On which side of other arguments sizes stay, and from which, or their multiples, apart."""
    remembered: dict[tuple[tuple[str, int], ...], Observed] = field(default_factory=dict)
    """What was observed at points that are looked at again."""

    @property
    def rounded(self) -> list[Expr]:
        """What is rounded down: where that was heard, or a quotient had no rest at first."""
        quotients = (a / b for a, b in self.heard)
        return [*self.floors, *(floor(e) for e in quotients if e.free_symbols)]

    def within(self, at: Mapping[str, int]) -> bool:
        """Whether a point is on this side of all borders, and nothing is rounded down to zero."""
        some = (e for e in self.floors if self.value(e) >= 1)
        return all(b.holds(at) for b in self.borders) and all(self.value(e, at) >= 1 for e in some)

    def is_argument(self, name: str) -> bool:
        """Whether a size is an argument, or a part of one that is a list: ``widths.0``."""
        given = self.subject.arguments
        return name in given or name.rpartition(".")[0] in given

    def fix(self, name: str, why: str) -> None:
        """Let an argument keep its value, and what it divides be a multiple of that."""
        self.sizes.remove(name)
        self.fixed.append(name)
        self.failed[name] = why
        del self.steps[name]
        here = {Symbol(name): Integer(self.base[name])}
        self.steps = {n: step.xreplace(here) for n, step in self.steps.items()}

    def value(self, e: Expr, at: Mapping[str, int] | None = None) -> int:
        """Return an expression in the arguments as a number."""
        here = self.base if at is None else at
        return int(e.xreplace({s: Integer(here[str(s)]) for s in e.free_symbols}))

    def moved(self, changed: Mapping[str, int]) -> dict[str, int]:
        """Return a point with some arguments changed, and what they divide along with them."""
        at = self.tied({**self.base, **changed})
        for name in self.in_order():
            step = self.steps[name]
            if name not in changed and step.free_symbols:
                at[name] = self.base[name] // self.value(step) * self.value(step, at)
        return at

    def tied(self, at: Mapping[str, int]) -> dict[str, int]:
        """Return a point with the arguments that are as large as others."""
        return {**at, **{tied: at[of] for tied, of in self.ties.items()}}

    def in_order(self) -> list[str]:
        """The sizes whose steps are known, each after those that its step depends on."""
        found: list[str] = []

        def add(name: str) -> None:
            for s in sorted(self.steps[name].free_symbols, key=str):
                if str(s) in self.steps and str(s) not in found and str(s) != name:
                    add(str(s))
            if name not in found:
                found.append(name)

        for name in self.steps:
            add(name)
        return found

    def observe_once(self, at: Mapping[str, int]) -> Observed:
        """Build and run the module at a point, if that was not done before.

        Raises:
            BadInput: it refuses that.
        """
        point = tuple(sorted(at.items()))
        if point not in self.remembered:
            self.remembered[point] = self.observe(at)
        return self.remembered[point]

    def observe(self, at: Mapping[str, int], heard: bool = False) -> Observed:
        """Build and run the module at a point.

        Raises:
            BadInput: it refuses that.
        """
        values = unfolded(self.subject, at, heard)
        routes = Routes(self.subject.rows, at)
        listens = listening(self.subject.modules if heard else ())
        with limited(self.subject.name), listens as found:
            module = self.subject.build(values)
            entering = {x.name: x.made(at) for x in self.subject.inputs}
            recording = record(module, entering, lambda m: self.subject.run(m, entering),
                               loops=self.subject.loops, routes=routes)  # fmt: skip
        if heard:
            self.heard += [d for d in found.divisions if d not in self.heard]
            self.floors += [e for e in found.floors if e not in self.floors]
        return Observed(dict(at), recording, self.subject.loops, routes.told,
                        Lists(self.subject.lists))  # fmt: skip


def whole_numbers(subject: Subject) -> dict[str, int]:
    """Return the arguments that are whole numbers, those in lists one by one: ``depths.0``."""
    found: dict[str, int] = {}
    for name, value in subject.arguments.items():
        if isinstance(value, int) and not isinstance(value, bool):
            found[name] = value
        elif isinstance(value, list | tuple) and value and all(type(v) is int for v in value):
            found |= {f"{name}.{i}": v for i, v in enumerate(value)}
    return found


def unfolded(subject: Subject, at: Mapping[str, int], heard: bool = False) -> dict[str, object]:
    """Return the arguments at a point, lists made of their parts."""
    found: dict[str, object] = {}
    for name, value in subject.arguments.items():
        if name in at:
            found[name] = Heard(at[name], Symbol(name)) if heard else at[name]
        elif f"{name}.0" in at:
            parts = [at[f"{name}.{i}"] for i in range(len(value))]
            found[name] = type(value)(parts)
        elif isinstance(value, list | tuple) and value:
            found[name] = stretched(subject, name, value, at)
    return found


def stretched(
    subject: Subject, name: str, value: list[object] | tuple[object, ...], at: Mapping[str, int]
) -> object:
    """Return a list that says something of every layer, for as many layers as there are at a point.

    It is repeated by its period, where it has as many parts as the module has layers.
    """
    for deep, layers in subject.arguments.items():
        if DEEP.search(deep) and layers == len(value) and at.get(deep, layers) != layers:
            period = next(p for p in range(1, len(value) + 1)
                          if all(v == value[i % p] for i, v in enumerate(value)))  # fmt: skip
            return type(value)(value[i % period] for i in range(at[deep]))
    return type(value)(value)
