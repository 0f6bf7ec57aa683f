"""The target that a trace is: its definition is what was recorded, its sizes those asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from sympy import Symbol

from symledger.errors import BadInput, nearest, shown
from symledger.ir.naming import snake
from symledger.ir.tensor import Program
from symledger.sizes import S_max
from symledger.targets.target import Target
from symledger.traces.alive import Eager, How
from symledger.traces.checked import ALIVE, withheld
from symledger.traces.component import TracedModule
from symledger.traces.graph import Traced
from symledger.traces.seal import hashed
from symledger.traces.writing import to_data

TITLE = "traced from PyTorch"


@dataclass(frozen=True)
class TracedTarget(Target):
    """A module of PyTorch that was traced, now or when its file was written."""

    @property
    def traced(self) -> Traced:
        """What was recorded."""
        assert isinstance(self.component, TracedModule)
        return self.component.traced

    @property
    def is_traced(self) -> bool:
        """It was."""
        return True

    @property
    def withheld(self) -> Mapping[str, str]:
        """The quantities whose checks failed, which are not shown, and why."""
        return withheld(self.traced.checks)

    def settled(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return settings by symbol, those that were named as the constructor does among them.

        Raises:
            BadInput: the same size was set twice, to other values.
        """
        symbols = {own: symbol for symbol, own in self.traced.names.items()}
        found: dict[str, str] = {}
        fixed = {a.name: a.value for a in self.traced.fixed}
        known = (*symbols, *self.traced.sizes, *self.traced.definitions)
        for name, text in settings.items():
            if name in fixed:
                raise BadInput(
                    f"{name} is fixed in this trace, {shown(fixed[name])}: trace the module again "
                    "to change it."
                )
            if name not in known and name != S_max.name:  # which a cache may have
                raise BadInput(
                    f"{shown(name)} is no size of {shown(self.name)}. {nearest(name, known)}"
                )
            symbol = symbols.get(name, name)
            if found.get(symbol, text) != text:
                raise BadInput(f"{symbol} was set twice, to {shown(found[symbol])} and, as "
                               f"{self.traced.names[symbol]}, to {shown(text)}.")  # fmt: skip
            found[symbol] = text
        given = {symbol: int(text) for symbol, text in found.items() if text.isdecimal()}
        self.check_conditions(given)
        return found

    def check_conditions(self, sizes: Mapping[str, int]) -> None:
        """Refuse sizes at which the module does something else than what was recorded.

        Raises:
            BadInput: they are such.
        """
        at = {**self.traced.sizes, **sizes}
        for condition in self.traced.conditions:
            if not condition.holds(at):
                sides = (n for n in (condition.left, condition.right) if n in at)
                here = " and ".join(f"{n} = {at[n]}" for n in sides)
                raise BadInput(
                    f"{here}: other operations run there than those of this trace, where "
                    f"{condition}. Trace the module again so."
                )

    def program(self) -> Program:
        """Build the program of the trace."""
        assert isinstance(self.component, TracedModule)
        return self.component.program(self.name)

    def decoding(self) -> Program | None:
        """A trace is of one run: nothing is known of decoding."""
        return None

    def guard(self, method: str) -> Callable[[], AbstractContextManager[None, None]]:
        """Nothing of a user's is run."""
        del method
        return nullcontext

    def beyond(self, sizes: Mapping[Symbol, int]) -> dict[str, tuple[int, int]]:
        """Return the sizes that lie outside what was verified, and from where to where that was."""
        self.check_conditions({symbol.name: n for symbol, n in sizes.items()})
        found: dict[str, tuple[int, int]] = {}
        for symbol, n in sizes.items():
            seen = [point[symbol.name] for point in self.traced.points if symbol.name in point]
            if seen and not min(seen) <= n <= max(seen):
                found[symbol.name] = min(seen), max(seen)
        return found

    def extrapolated(self, sizes: Mapping[Symbol, int]) -> dict[str, Any]:
        """Return the sizes that lie beyond what was verified, and from where to where that was."""
        found = self.beyond(sizes)
        return {
            "extrapolated": bool(found),
            "beyond": {name: [str(low), str(high)] for name, (low, high) in found.items()},
        }

    def eager(self, how: How, sizes: Mapping[Symbol, int]) -> Eager:
        """Return what is in memory when, as PyTorch runs the module at some sizes.

        Raises:
            BadInput: that was not looked at, cannot be said, or not of these sizes.
        """
        name = shown(self.name)
        found = self._looked(how, {symbol.name: n for symbol, n in sizes.items()})
        for symbol, n in sizes.items():
            seen = [point[symbol.name] for point in self.traced.points if symbol.name in point]
            if n == 1 and seen and min(seen) > 1 and symbol.name not in found.shallow:
                raise BadInput(
                    f"{symbol} = 1: what is one long is often not copied where longer ones are, "
                    f"and {name} was looked at with {symbol} ≥ {min(seen)}: trace it anew with "
                    f"{symbol} = 1."
                )
        at = {symbol.name: n for symbol, n in sizes.items()}
        for depth, (step, rest) in found.every.items():
            if not step and at.get(depth, rest) != rest:
                raise BadInput(
                    f"{depth} = {at[depth]}: {name} was looked at with {depth} = {rest} alone, "
                    f"which is too shallow to tell of others: trace it anew with "
                    f"{depth} = {at[depth]}."
                )
            if step and at.get(depth, rest) % step != rest:
                raise BadInput(
                    f"{depth} = {at[depth]}: storages of {name} live alike at every {step}th depth "
                    f"only, and it was looked at where {depth} = {step}·n + {rest}: trace it anew "
                    f"with {depth} = {at[depth]}."
                )
        for a, b in found.apart:
            if at.get(a, 0) == at.get(b, -1):
                raise BadInput(
                    f"{a} = {b} = {at[a]}: storages of {name} live otherwise there than where "
                    "these differ, as they did when it was looked at."
                )
        return found

    def _looked(self, how: How, at: Mapping[str, int]) -> Eager:
        """Return what was observed of a step that is run so; what was not yet, is now."""
        name = shown(self.name)
        failed = next((c for c in self.traced.checks if c.quantity == ALIVE and not c.passed), None)
        if failed:
            raise BadInput(f"the schedule eager of {name} is not shown: {failed.detail}.")
        found = next((e for e in self.traced.eager if e.how == how), None)
        if found and found.is_of(at):
            return found
        if self.traced.looking:
            try:
                return self.traced.looking.at(how, at)
            except BadInput as error:
                said = f"the schedule eager of {name} is not shown here: {error}"
                raise BadInput(said) from error
        if found:
            return found  # what it is not of is refused
        if not self.traced.eager:
            raise BadInput(f"{name} was traced without looking at what is in memory when: trace it "
                           "anew, with --schedule eager or --save.")  # fmt: skip
        if how.serving:
            raise BadInput(
                f"a saved trace has what is in memory in a step of training: of {name}, ask for "
                f"memory.peak.{how.serving} while the module is traced."
            )
        said = "".join((" --accumulate" if how.accumulate else "",
                        f" --dtype {how.dtype}" if how.dtype != "fp32" else ""))  # fmt: skip
        raise BadInput(f"of {name} it was not looked at what is in memory with{said}: trace it "
                       "anew so.")  # fmt: skip

    def read_from(self) -> dict[str, Any]:
        """Return what is said of the trace, as JSON data."""
        traced = self.traced
        about = to_data(traced)
        kept = ("source", "torch", "training", "names", "definitions", "fixed", "points", "checks")
        noted = {key: about.get(key, []) for key in ("effects", "custom", "conditions")}
        return {"trace": {key: about[key] for key in kept} | noted | {"hash": hashed(about)}}


def traced_target(traced: Traced, name: str = "") -> TracedTarget:
    """Return the target that a trace is, under the name by which it was asked for."""
    return TracedTarget(
        name or traced.name, snake(traced.name), TITLE, TracedModule(traced),
        configuration=traced.sizes, origin=traced.source,
    )  # fmt: skip
