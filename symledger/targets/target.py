"""Targets: a component that can be derived, with its options, inputs and configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sympy import Expr, Float, Symbol, floor

from symledger import algebra
from symledger.algebra import assumptions
from symledger.catalogue.checkpoints import Total
from symledger.catalogue.options import choices_of, deciding_of, tried_of
from symledger.errors import BadInput, DefinitionError, renamed, shown
from symledger.ir.shapes import ONE, as_size
from symledger.ir.tensor import Program
from symledger.notation.calling import program_of
from symledger.notation.component import Component
from symledger.sizes import BY_NAME, Size, T
from symledger.user_code import guarded

ROUNDED = re.compile(r"floor\(([^*]+)\*(\w+)\)")
"""How a layer writes a length times a float, which is rounded down: ``floor(0.5*H)``."""

if TYPE_CHECKING:  # layers and configurations are imported where one is read
    from symledger.configs.configuration import Configuration
    from symledger.torch_layers.call import Constructor


@dataclass(frozen=True)
class Target:
    """Something that can be derived: a component with its options, inputs and configuration."""

    name: str
    owner: str
    title: str
    component: Component
    inputs: Mapping[str, str] | None = None
    lengths: Mapping[str, str] | None = None
    configuration: Mapping[str, int] | None = None
    preset: Mapping[str, Any] = field(default_factory=dict)
    cases: Mapping[str, Mapping[Size, Expr | int]] = field(default_factory=dict)
    origin: str = ""
    constructor: Constructor | None = None
    configured: Configuration | None = None
    source: str = ""
    total: Total | None = None
    entered: Mapping[Size, Expr] = field(default_factory=dict)
    """Sizes of the entry as a layer has them, written in those of what enters."""

    @property
    def is_traced(self) -> bool:
        """Whether it was recorded from a module of PyTorch."""
        return False

    @property
    def withheld(self) -> Mapping[str, str]:
        """Quantities that are not shown, and why: those of a trace whose checks failed."""
        return {}

    @property
    def stated(self) -> Mapping[str, str]:
        """What the arguments of a layer set; nothing where this is none."""
        return self.constructor.settings if self.constructor else {}

    @property
    def made(self) -> dict[str, str]:
        """The sizes that a layer makes of others: ``{"H_o": "H"}`` where it keeps the height."""
        return {s: e for s, e in self.stated.items() if s in BY_NAME and not e.isdecimal()}

    @property
    def tied(self) -> dict[str, str]:
        """Those that are polynomials of others: equations, as ``--assume`` would state them."""
        return {s: e for s, e in self.made.items() if not ROUNDED.fullmatch(e)}

    @property
    def rounded(self) -> dict[Symbol, Expr]:
        """Those that are rounded down, which have a value once the others have one."""
        found = {s: ROUNDED.fullmatch(e) for s, e in self.made.items()}
        return {
            BY_NAME[s]: floor(Float(float(e[1])) * BY_NAME[e[2]]) for s, e in found.items() if e
        }

    def settled(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return settings together with those that a constructor states, which are not to change.

        Raises:
            BadInput: one contradicts the constructor, or chooses what its layer does not have.
        """
        if not self.constructor:
            return dict(settings)
        from symledger.torch_layers.call import CALLED

        stated = self.stated
        for name in settings:
            if name in self.choices and name not in (*stated, *CALLED):
                raise BadInput(
                    f"{shown(self.name)} has no {name}: that is a choice of {self.entry}."
                )
        for name, text in stated.items():
            if settings.get(name, text).strip() != text:
                raise BadInput(
                    f"{name} is {text} in {shown(self.name)}: change it there, and not by "
                    "a setting."
                )
        said = {**settings, **stated}
        said |= self.constructor.layer.decides(said)
        return {name: text for name, text in said.items() if name not in self.made}

    def check_given(self, program: Program, names: Iterable[str]) -> None:
        """Refuse sizes that a layer of PyTorch has of itself: only what enters it is given.

        Raises:
            BadInput: a size is not one of what enters.
        """
        if not self.constructor:
            return
        stated = self.stated
        entering = [str(s) for s in program.entering]
        for name in names:
            if name not in entering and name not in stated:
                given = ", ".join(s for s in entering if s not in stated)
                raise BadInput(
                    f"{name} is fixed by {shown(self.name)}; what enters it may be set: {given}. "
                    f"`symledger derive {self.entry}` takes {name} too."
                )

    def check_taken(
        self, symbols: Mapping[str, Symbol], sizes: Mapping[Symbol, int]
    ) -> None:
        """Refuse sizes that a layer of PyTorch raises on.

        Raises:
            BadInput: they are less than what it takes.
        """
        for limit in self.constructor.layer.limits if self.constructor else ():
            try:
                limit.check(symbols, sizes, self.options)
            except BadInput as error:
                raise BadInput(f"{shown(self.name)}: {error}") from error

    def in_own_sizes(self) -> Target:
        """Return a target with the sizes of its entry in place of those that a layer has."""
        return replace(self.with_options({s.name: s for s in self.entered}), entered={})

    def with_options(self, chosen: Mapping[str, Any]) -> Target:
        """Return this target with some fields of its component given: choices made, sizes."""
        return replace(self, component=replace(self.component, **chosen)) if chosen else self  # type: ignore[type-var]

    def in_its_words(self, given: Iterable[str]) -> AbstractContextManager[None]:
        """Say what is refused of sizes in the words of a configuration, where they are its own.

        Those that were ``given`` by name keep it.
        """
        names, own = self.configured.names if self.configured else {}, set(given)
        return renamed({symbol: key for symbol, key in names.items() if symbol not in own})

    def called(self, function: str) -> str:
        """Say which of its choices is a function, in the words of a configuration if it has one."""
        said = self.configured.called(function) if self.configured else ""
        found = (f"{name} = {v}" for name, v in self.options.items() if v == function)
        return said or " and ".join(found) or function

    def extrapolated(self, sizes: Mapping[Symbol, int]) -> dict[str, Any]:
        """Return the sizes that lie beyond what was verified, as JSON data; a trace has those."""
        del sizes
        return {}

    def read_from(self) -> dict[str, Any]:
        """Return where the sizes come from as JSON data: a configuration, its source, an axis."""
        found: dict[str, Any] = {"source": self.source} if self.source else {}
        if self.total:
            found["published"] = {"params": self.total.said, "source": self.total.source}
        if self.constructor and self.constructor.reads:
            found["reads"] = self.constructor.reads
        if self.configured:
            found["configuration"] = self.configured.to_dict()
        return found

    @property
    def entry(self) -> str:
        """The name in the catalogue."""
        return self.constructor.entry if self.constructor else self.name

    @property
    def choices(self) -> dict[str, tuple[Any, ...]]:
        """The options and what each may be: ``{"bias": (False, True)}``."""
        kind: Any = type(self.component)
        return choices_of(kind)

    @property
    def tried(self) -> dict[str, tuple[Any, ...]]:
        """Those of the choices that are looked at one by one, seldom ones left out."""
        kind: Any = type(self.component)
        return tried_of(kind)

    @property
    def deciding(self) -> frozenset[str]:
        """Those of the choices that decide a size, and change no formula."""
        kind: Any = type(self.component)
        return deciding_of(kind)

    @property
    def defaults(self) -> dict[str, Any]:
        """The options as this target's owner has them, before any choice."""
        plain = {f.name: f.default for f in fields(self.component)}  # type: ignore[arg-type]
        return {name: self.preset.get(name, plain[name]) for name in self.choices}

    @property
    def options(self) -> dict[str, Any]:
        """The options as they are chosen."""
        return {name: getattr(self.component, name) for name in self.choices}

    def program(self) -> Program:
        """Build the program.

        Raises:
            SymledgerError: the definition breaks a rule; a user's own may fail in any other way.
        """
        lengths = {
            axis: assumptions.parse_expression(text, BY_NAME)
            for axis, text in (self.lengths or {}).items()
        }
        with self.guard("forward")():
            found = program_of(self.component, self.inputs, lengths, self.name)
            _ = found.definitions  # which its class states, so that a failure is the file's
            return found

    def decoding(self) -> Program | None:
        """Build one decoding step, the last of T tokens; None where nothing is decoded."""
        with self.guard("decoding")():
            inputs = self.component.decoding
            if not inputs:
                return None
            now = {"cached": True, self.component.seen_size: T}
            step: Component = replace(self.component, **now)  # type: ignore[type-var]
            return program_of(step, inputs, {"one": ONE}, self.name)

    def guard(self, method: str) -> Callable[[], AbstractContextManager[None, None]]:
        """What stands around running a method of the definition: only a user's own is guarded."""
        if not self.origin:
            return nullcontext
        what = f"{type(self.component).__name__}.{method}"
        return partial(guarded, self.origin, what)  # type: ignore[return-value]  # it swallows none


def symbols_of(program: Program, component: Component) -> dict[str, Symbol]:
    """Return the symbols that a target may be set or assumed in, by name.

    Raises:
        DefinitionError: two of them are written the same.
    """
    found: dict[str, Symbol] = {}
    mentioned = set().union(*(e.free_symbols for e in program.definitions.values()))
    for symbol in (*program.symbols, *sorted(mentioned, key=str)):
        assert isinstance(symbol, Symbol)
        if found.setdefault(symbol.name, symbol) != symbol:
            raise DefinitionError(
                f"{type(component).__name__} uses two different symbols that are both written "
                f"{symbol}: take that of symledger.sizes, or make one with Size({symbol.name!r})."
            )
    return found


def equations_of(
    equations: Mapping[Size, Expr | int], symbols: Mapping[str, Symbol], program: Program
) -> dict[Symbol, Expr]:
    """Return those equations that a program has symbols for and that leave every axis a length.

    (Keys as many as queries, S = T, leave nothing for a cache of length S − T.)
    """
    found: dict[Symbol, Expr] = {}
    for symbol, stated in equations.items():
        e = as_size(stated)
        if symbol.name in symbols and {x.name for x in e.free_symbols} <= set(symbols):
            given = {symbol: algebra.terms(e)}
            if all(algebra.terms(length, given) for length in program.lengths):
                found[symbol] = e
    return found
