"""The derivation of a target: every quantity of it, derived when it is asked for.

It knows formulas and nothing else: tags, evidence and JSON are those of an ``Account``.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.catalogue.identities import IDENTITIES, Identity, Side
from symledger.derivations.eager import eager_peak, observed
from symledger.derivations.posed import Posed
from symledger.derivations.query import Request, chosen
from symledger.errors import BadInput, NotKnown, UnknownTarget, nearest, shown
from symledger.ir.ops import Input
from symledger.languages.message import Verbatim
from symledger.ledger import quantised, recipes
from symledger.ledger.conventions import Conventions
from symledger.ledger.formula import Formula, causal_variants, make_formula
from symledger.ledger.peak_amounts import peak_amount
from symledger.ledger.peaks import EAGER, PEAKS, SERVED, make_peak
from symledger.ledger.quantities import ASKED, QUANTITIES, TOUCHED, Readings
from symledger.ledger.touched import make_touched
from symledger.notation.recompute import NONE
from symledger.readings.equations.sheet import TEXT, Equation, Notation, backward_equations
from symledger.readings.equations.sheet import equations as forward_equations
from symledger.readings.flops import Causal
from symledger.readings.states import of_positions, states
from symledger.targets.target import Target, equations_of


@dataclass(frozen=True)
class Corollary:
    """A named case: the equations that make it, and what some quantities are under them."""

    equations: tuple[str, ...]
    forms: Mapping[str, Terms]


COUNTING = {
    "dtype", "optimizer", "causal", "gradients", "counters", "step", "first", "accumulate"
}  # fmt: skip
"""The conventions that change how things are counted, and not what is computed."""
CERTAIN = ("params", "flops.forward", "flops.training")
"""Quantities that no function of single elements changes."""
MOVING = (
    "traffic.forward", "traffic.unfused", "intensity.forward",
    "traffic.weights.least", "traffic.weights.most", "traffic.weights.expected",
)  # fmt: skip
DEQUANTISED = (
    "weights in a quantised type are made values before they are multiplied by, and whether these "
    "are written and read, no definition says."
)
"""Why nothing is said of what is moved where weights are quantised."""
DECODED = "memory.peak.decode"
CACHED = (
    "what is there beside a cache that lies otherwise than the definition says, while it is read "
    "and written, no definition says. Leave out --cache, or ask for --schedule eager."
)
"""Why nothing is said of peaks where keys and values lie as was asked for."""
TRAINING = (
    "how products in fewer bits are trained with is known, and what they move or how they are "
    "served is not. Leave out --products."
)
"""Why nothing is said of serving, nor of what is moved, where operands are cast to 8 bits."""
CASTING = "which casts are written and read apart, no definition says. Leave out --products."
"""Why nothing is said of what is moved under autocast."""
ASKING = (
    "what enters asks for no gradient in inference, and is cast otherwise than where it does. Say "
    "--no-input-gradient."
)
"""Why nothing is said of serving under autocast where numbers enter."""
STATE = "of which type a state is that stays as long as it is, no list of autocast says."
"""Why nothing is said of serving under autocast where more is kept than what grows by positions."""
COROLLARY_QUANTITIES = ("params", "flops.forward")


class Derivation(Posed):
    """Everything that is derived of one target under what was set and assumed.

    Quantities are items (``derivation["flops.forward"]``) and attributes (``derivation.params``).
    """

    def __init__(self, request: Request, found: Target | None = None) -> None:
        super().__init__(request, found)
        self.readings = self._readings(self.conventions)
        self._made: dict[str, Formula] = {}
        self._amounts: dict[str, Fraction | None] = {}
        self._counted: dict[Conventions, Readings] = {}

    @cached_property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that this target has: those that are not identically nothing."""
        absent = {gate for gate in set(OPTIONAL.values()) if not self._of(gate).general}
        absent |= self._undecoded
        if not self.readings.has_routed:
            absent.add("params.active")
        absent |= self.not_known.keys()
        return tuple(
            name for name in QUANTITIES
            if OPTIONAL.get(name, name) not in absent and name not in self.withheld
        )  # fmt: skip

    def __getitem__(self, name: str) -> Formula:
        known = (*QUANTITIES, *PEAKS, *ASKED)
        if name not in known:
            raise UnknownTarget(f"{shown(name)} is not a quantity. {nearest(name, known)}")
        if name in self.withheld:
            raise NotKnown(
                f"{name} of {shown(self.target.name)} is not shown: {self.withheld[name]}"
            )
        return self._of(name)

    @property
    def withheld(self) -> Mapping[str, str]:
        """What is not shown, and why: of a trace, or where weights are quantised."""
        found = {**self.target.withheld}
        if self.conventions.cache and self.request.schedule != EAGER:
            found.update(dict.fromkeys(SERVED, CACHED))
        found.update(self._withheld_of_products())
        if self.conventions.weights:
            found.update(dict.fromkeys(MOVING, DEQUANTISED))
            why = quantised.not_alive(self.conventions.weights, self.program)
            found.update(dict.fromkeys(PEAKS, why) if why else {DECODED: quantised.FEW_ROWS})
        return found

    def _withheld_of_products(self) -> dict[str, str]:
        """What is not shown where products are of other types than values, and why."""
        c = self.conventions
        if not c.autocast:
            return dict.fromkeys((*SERVED, *MOVING), TRAINING) if c.products else {}
        asks = any(isinstance(x.op, Input) and x.op.varies for x in self.program.inputs)
        why = ASKING if asks and c.input_gradient else ""
        growing = of_positions(self.program)
        why = why if all(t in growing for t in states(self.program)) else STATE
        return {**dict.fromkeys(SERVED if why else (), why), **dict.fromkeys(MOVING, CASTING)}

    def _of(self, name: str) -> Formula:
        """Return the formula of a quantity, shown or not."""
        if name not in self._made:
            self._made[name] = self._formula(name, self.readings)
        return self._made[name]

    def _formula(self, name: str, readings: Readings) -> Formula:
        make = self._peak if name in PEAKS else make_formula
        make = make_touched if name in TOUCHED else make
        try:
            return make(self.target.owner, name, readings, self.assumed)
        except NotKnown as error:
            said = f"{self.target.name} has no {name} here: {self._because(error.function)}"
            raise NotKnown(said, error.function) from error

    def amount(self, name: str) -> int | Fraction | None:
        """The value of a quantity; of a peak without its formula, which takes far longer."""
        if name not in PEAKS or name in self._made or name in self.withheld:
            return self[name].value
        if self.request.schedule == EAGER:
            return self[name].value
        if name not in self._amounts:
            owner = self.target.owner
            self._amounts[name] = peak_amount(owner, name, self.readings, self.assumed)
        found = self._amounts[name]
        if found is None:
            return self[name].value
        return int(found) if found.denominator == 1 else found

    def _peak(self, owner: str, name: str, readings: Readings, assumed: Assumed) -> Formula:
        """Return a peak by the schedule that was asked for."""
        if self.request.schedule != EAGER:
            return make_peak(owner, name, readings, assumed)
        return eager_peak(self, name, readings)

    def by_other_schedule(self, name: str) -> tuple[Formula, str]:
        """Return a peak by the schedule that was not asked for; by eager, of which implementation.

        Raises:
            BadInput: it is not known.
        """
        if self.request.schedule == EAGER:
            if self.conventions.cache and name in SERVED:
                raise BadInput(CACHED)
            return make_peak(self.target.owner, name, self.readings, self.assumed), ""
        return eager_peak(self, name, self.readings), observed(self, name).implementation

    def _because(self, function: str) -> str:
        return (
            f"{self.target.called(function)} is a function of each element of which only the name "
            "is known, so neither its operations nor what it keeps for the backward pass are. "
            f"Parameters and contractions do not depend on it: ask for {', '.join(CERTAIN)}."
        )

    @cached_property
    def not_known(self) -> dict[str, str]:
        """Quantities that depend on a function that is not known, and which function that is."""
        found: dict[str, str] = {}
        for name in QUANTITIES if self.program.has_unknown else ():
            if name in self._undecoded:
                continue
            try:
                self[name]
            except NotKnown as error:
                found[name] = error.function
        return found

    @property
    def _undecoded(self) -> set[str]:
        """What a target lacks that decodes nothing."""
        return set() if self.target.component.decoding else {"flops.decode"}

    @property
    def not_known_because(self) -> str:
        """Why these are not known; nothing where there are none."""
        return " ".join(map(self._because, dict.fromkeys(self.not_known.values())))

    def __getattr__(self, name: str) -> Formula:
        quantity = next((q for q in QUANTITIES if q.replace(".", "_") == name), None)
        if quantity is None or name.startswith("__"):
            raise AttributeError(
                f"an account has no {name}; its quantities are "
                + ", ".join(q.replace(".", "_") for q in QUANTITIES)
            )
        return self[quantity]

    def in_own_sizes(self, name: str, conventions: Conventions) -> Formula:
        """Return a formula in the sizes of its entry, which evidence is about.

        One of a layer that is not that with the layer's sizes put in is returned itself.
        """
        found = self.under_conventions(name, conventions)
        if not self.target.entered or name in PEAKS:
            return found
        own = self._in_own_sizes.under_conventions(name, conventions)
        put_in = {s: algebra.terms(e) for s, e in self.target.entered.items()}
        return own if substitute(own.general, put_in) == found.general else found

    @cached_property
    def _in_own_sizes(self) -> Derivation:
        plain = replace(self.request, settings={}, equations=())
        return Derivation(plain, self.target.in_own_sizes())

    def causal(self, name: str) -> dict[Causal, Formula]:
        """Return a FLOP formula under each causal convention, where that makes a difference."""
        return causal_variants(self.target.owner, name, self.readings, self.assumed)

    def under_conventions(self, name: str, conventions: Conventions) -> Formula:
        """Return the formula of a quantity under other conventions, whatever was asked for.

        A peak is by the schedule program, of repetitions of which it is not known how many.
        """
        if conventions == self.conventions and name not in PEAKS:
            return self[name]
        if conventions not in self._counted:
            self._counted[conventions] = self._readings_under(conventions)
        readings = self._counted[conventions]
        if name in PEAKS:
            return make_peak(self.target.owner, name, readings, Assumed({}, {}, {}))
        return self._formula(name, readings)

    def _readings(self, conventions: Conventions) -> Readings:
        guard = self.target.guard("pullback")
        return Readings(
            self.program, conventions, guard, self._decoding, self.assumed, self.decoding_in_types
        )

    def _readings_under(self, conventions: Conventions) -> Readings:
        """The readings under other conventions; the pull-back is shared where it is the same."""
        counted = {name: getattr(conventions, name) for name in COUNTING}
        if self.conventions.products != conventions.products:
            return self._readings(conventions)
        if replace(self.conventions, **counted) == conventions:
            return self.readings.under(**counted)
        return self._readings(conventions)

    @cached_property
    def corollaries(self) -> dict[str, Corollary]:
        """The named cases of this target."""
        found: dict[str, Corollary] = {}
        for name, stated in self.target.cases.items():
            equations = equations_of(stated, self.symbols, self.program)
            given = {s: algebra.terms(e) for s, e in equations.items()}
            said = tuple(f"{s} = {algebra.text(p)}" for s, p in given.items())
            if said:
                forms = {q: substitute(self[q].general, given) for q in COROLLARY_QUANTITIES}
                found[name] = Corollary(said, forms)
        return found

    def equations(
        self, notation: Notation = TEXT
    ) -> tuple[tuple[Equation, ...], tuple[Equation, ...]]:
        """What the target computes, forward and backward, in index notation."""
        return (
            forward_equations(self.program, notation=notation),
            backward_equations(self.readings.back, notation),
        )

    @property
    def dropped(self) -> tuple[str, ...]:
        """What gave way to what, in sentences: of the recipe, then of sizes and equations."""
        now = {**asdict(self.conventions), **self.target.options}
        return (*recipes.gave_way(self.request.recipe, now), *self.assumed.dropped)

    @property
    def counted(self) -> dict[str, str]:
        """How things are counted, in words: the recipe if one was named, and every convention."""
        name = self.request.recipe
        said: dict[str, str] = {"recipe": recipes.in_words(name)} if name else {}
        if self.request.recompute.strip() != NONE:
            said["recompute"] = Verbatim(self.request.recompute)
        if self.request.lora:
            said["lora"] = Verbatim(self.request.lora)
        return {**said, **self.conventions.to_dict()}

    @property
    def identities(self) -> tuple[tuple[Identity, Side, Side], ...]:
        """The identities that this target is a side of: the identity, this side, the other."""
        found = []
        for identity in IDENTITIES:
            for here, there in ((identity.left, identity.right), (identity.right, identity.left)):
                if here.name == self.target.owner == self.target.entry and self._chose(here):
                    found.append((identity, here, there))
        return tuple(found)

    def _chose(self, side: Side) -> bool:
        expected = {**self.target.defaults, **side.options}
        return self.target.options == expected

    def subs(self, values: Mapping[Any, int] | None = None, **named: int) -> Self:
        """Return this derivation with some symbols, given by name or as symbols, set anew."""
        given = {**(values or {}), **named}
        return self.at({**self.request.settings, **{str(k): str(v) for k, v in given.items()}})

    def at(self, settings: Mapping[str, str]) -> Self:
        """Return this derivation under other settings.

        Where only sizes change, the program and everything that was read of it are shared.
        """
        request, said = replace(self.request, settings=settings), self._found.settled(settings)
        if {**self._found.options, **chosen(self._found, said)} != self.target.options:
            return type(self)(request, self._found)
        try:
            return self._settled(request=request, settings=said)
        except BadInput:
            if not self.is_segmented:  # otherwise another number of blocks is left over there
                raise
            return type(self)(request, self._found)

    def resized(self, target: Target) -> Self:
        """Return the derivation of a target that is this one's definition at sizes of its own.

        What was read of the program is shared.
        """
        request = replace(self.request, target=target.name)
        if self.is_segmented:
            return type(self)(request, target)
        return self._settled(request=request, target=target, _found=target)

    def under(self, **changed: Any) -> Self:
        """Return this derivation under other conventions: ``derivation.under(dtype="bf16")``.

        Where only the way of counting changes, the program and its pull-back are shared.
        """
        conventions = replace(self.request.conventions, **changed)
        request = replace(self.request, conventions=conventions)
        if not set(changed) <= COUNTING:
            return type(self)(request, self._found)
        readings = self.readings.under(**changed)
        return self._copied(request=request, conventions=conventions, readings=readings)

    def _settled(self, **changed: Any) -> Self:
        """Return a copy with some attributes changed, and its sizes settled anew."""
        other = self._copied(symbols=dict(self.symbols), **changed)
        other.assumed = other._sizes()
        other.readings, other._counted = self.readings.at(other.assumed), {}
        return other

    def _copied(self, **changed: Any) -> Self:
        """Return a copy with some attributes changed, without what was made of them."""
        other = copy(self)
        vars(other).update(changed, _made={}, _amounts={})
        for name in ("corollaries", "not_known"):
            vars(other).pop(name, None)
        return other

    def _repr_latex_(self) -> str:
        return self.params._repr_latex_()


OPTIONAL = {
    "memory.kv_cache": "memory.kv_cache",
    **dict.fromkeys(
        ("flops.forward", "flops.backward", "flops.training", "macs.forward", "macs.backward",
         "macs.training", "intensity.forward"), "flops.forward",
    ),
}  # fmt: skip
"""Quantities that a target may lack, and the one that tells: a norm contracts nothing, only
attention keeps a cache. (Where no expert is routed, the active parameters are all of them.)"""
