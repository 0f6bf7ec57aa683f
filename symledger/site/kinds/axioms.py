"""The axioms page: the rules of every operation, read off its program, and what was checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from textwrap import dedent

from markupsafe import Markup

from symledger import algebra
from symledger.accounts.account import Account
from symledger.axioms.axiom import Axiom
from symledger.catalogue.entries import AXIOMS
from symledger.catalogue.entry import Entry
from symledger.evidence import records as evidence
from symledger.evidence.records import Record
from symledger.ir.ops import Input, Param
from symledger.ir.tensor import CallBack, Pullback, Tensor
from symledger.languages.message import Word, message
from symledger.printing import mathml
from symledger.printing.mathml import MATHML
from symledger.printing.rows import show_shape
from symledger.readings.equations.sheet import LATEX, Equation, Notation, backward_equations
from symledger.readings.equations.sheet import equations as forward_equations
from symledger.readings.saved import root
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.templating import Templates
from symledger.site.pages import Page
from symledger.site.text.worded import data

PATH = "axioms.md"
PREFIX = "axiom_"
PASSES = {"contractions": "", "rest": ".pointwise"}
DIRECTIONS = ("forward", "backward")
BACKWARD = ("backward", "training", "memory.saved")
"""What quantities are named that the backward program decides as well."""


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    rules = [Rule(atlas, entry) for entry in AXIOMS]
    general = [row for row in evidence.mutants()["rules"] if not row["about"]]
    yield templates.page(
        PATH, "axioms.md.j2", rules=rules, general=general, spelled=maths.spelled
    )


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}


@dataclass(frozen=True)
class Named:
    """A tensor of a program: its name and its shape."""

    name: Markup
    shape: Markup


@dataclass(frozen=True)
class Price:
    """What is paid forward and backward: for what, or under which convention."""

    label: str
    forward: Markup
    backward: Markup


@dataclass(frozen=True)
class Killed:
    """Mutants of one kind, and the check that killed them."""

    kind: str
    killer: str
    number: int


@dataclass(frozen=True)
class Use:
    """How much of the catalogue rests on an operation."""

    owners: int
    of_owners: int
    formulas: int
    of_formulas: int


@dataclass(frozen=True)
class Rule:
    """One operation: what its program says, what was compared, what rests on it."""

    atlas: Atlas
    entry: Entry

    @property
    def key(self) -> str:
        """The name in the texts, and the anchor."""
        return self.entry.name.removeprefix(PREFIX)

    @property
    def anchor(self) -> str:
        """The anchor on the page."""
        return self.key.replace("_", "-")

    @property
    def name(self) -> Word:
        """What it is called."""
        found: Word = data("axioms")[self.key]["name"]
        return found

    @property
    def text(self) -> Word:
        """What it is for."""
        found: Word = data("axioms")[self.key]["text"]
        return found

    @property
    def axiom(self) -> type[Axiom]:
        """Its definition."""
        kind: type[Axiom] = self.entry.load()
        return kind

    @property
    def account(self) -> Account:
        """What is derived of it."""
        return self.atlas.account(self.entry.name)

    @property
    def source(self) -> str:
        """The source of its forward, word for word; of a fused one its pull-back too."""
        methods = (self.axiom.forward, getattr(self.axiom, "pullback", None))
        return "\n\n".join(dedent(inspect.getsource(m)).strip() for m in methods if m)

    @property
    def forward(self) -> Markup | None:
        """Its equations, those of a repeated body after them."""
        bodies = self.account.program.bodies
        return _equations(lambda n: (forward_equations(body, notation=n) for body in bodies))

    @property
    def backward(self) -> Markup | None:
        """The equations of its pull-back, those of a repeated body after them."""
        pulls = list(pulled(self.account.readings.back))
        return _equations(lambda n: (backward_equations(pull, n) for pull in pulls))

    @property
    def arguments(self) -> list[Named]:
        """What enters it: inputs and weights."""
        program = self.account.program
        leaves = (*program.inputs, *program.params)
        return [_named(t.op.name, t) for t in leaves if isinstance(t.op, Input | Param)]

    @property
    def result(self) -> Named:
        """What it gives."""
        return _named("y", self.account.program.outputs[-1])

    @property
    def prices(self) -> list[Price]:
        """What it costs: contractions, and everything else."""
        return [
            Price(message(f"axioms.price_{way}"), *(
                maths.inline(self.account[f"flops.{d}{end}"].general) for d in DIRECTIONS
            ))
            for way, end in PASSES.items()
        ]  # fmt: skip

    @property
    def causal(self) -> list[Price]:
        """What contractions cost under each causal convention, where that makes a difference."""
        ways = [self.account.causal(f"flops.{d}") for d in DIRECTIONS]
        return [
            Price(message(f"causal.{kind}"), *(maths.inline(way[kind].general) for way in ways))
            for kind in ways[0]
        ]

    @property
    def cost(self) -> Price:
        """What it costs altogether."""
        both = (
            algebra.add(self.account[f"flops.{d}{end}"].general for end in PASSES.values())
            for d in DIRECTIONS
        )
        return Price("", *map(maths.inline, both))

    @property
    def params(self) -> Markup | None:
        """Its parameters, where it has any."""
        general = self.account.params.general
        return maths.inline(general) if general else None

    @property
    def kept(self) -> list[str]:
        """What is kept of it for the backward pass."""
        return [part.label for part in self.account["memory.saved"].line.parts]

    @property
    def saved(self) -> Markup:
        """The bytes of that."""
        return maths.inline(self.account["memory.saved"].general)

    @property
    def is_view(self) -> bool:
        """Whether its result is stored where its argument is."""
        y = self.account.program.outputs[-1]
        return root(y) is not y

    @cached_property
    def records(self) -> list[Record]:
        """Every comparison that its formulas went through, once."""
        found = chain.from_iterable(self.account.evidence.values())
        return list({(r.kind, r.quantity, r.claim): r for r in found}.values())

    @property
    def passed(self) -> int:
        """How many of them passed and are about these formulas."""
        return sum(r.status == "passed" for r in self.records)

    @property
    def wrong(self) -> list[dict[str, str]]:
        """The wrong rules that were tried in place of its own."""
        return [row for row in evidence.mutants()["rules"] if row["about"] in self.axiom.about]

    @property
    def killed(self) -> list[Killed]:
        """Mistakes that were made with it in recorded programs."""
        return [
            Killed(row["kind"], row["killer"], row["number"])
            for row in evidence.mutants()["others"] if row["about"] in self.axiom.about
        ]  # fmt: skip

    @property
    def mistakes(self) -> int:
        """How many deliberate mistakes were made with it."""
        return len(self.wrong) + sum(k.number for k in self.killed)

    @cached_property
    def use(self) -> Use:
        """How many owners of the catalogue use it, and how many of their formulas rest on it."""
        owners = formulas = every = 0
        for entry in self.atlas.owners:
            account = self.atlas.account(entry.name)
            there, both = used(account)
            rests = [
                self.axiom in (both if any(name in q for name in BACKWARD) else there)
                for q in account.quantities
            ]
            owners += any(rests)
            formulas += sum(rests)
            every += len(rests)
        return Use(owners, len(self.atlas.owners), formulas, every)


@cache
def used(account: Account) -> tuple[frozenset[type[Axiom]], frozenset[type[Axiom]]]:
    """Return the axioms that a target's forward program rests on, and those of both programs."""
    kinds = [entry.load() for entry in AXIOMS]
    there = [t for body in account.program.bodies for t in body.tensors]
    back = [t for pull in pulled(account.readings.back) for t in pull.tensors]
    forward, both = (
        frozenset(kind for kind in kinds if any(kind.shows(t) for t in tensors))
        for tensors in (there, [*there, *back])
    )
    return forward, both


def pulled(pull: Pullback) -> Iterator[Pullback]:
    """Yield a backward program and those of the bodies that it repeats."""
    yield pull
    for t in pull.tensors:
        if isinstance(t.op, CallBack):
            yield from pulled(t.op.body)


def _equations(write: Callable[[Notation], Iterable[tuple[Equation, ...]]]) -> Markup | None:
    """Write the equations of several programs as one block; nothing where there are none."""
    found, sources = (list(chain.from_iterable(write(n))) for n in (MATHML, LATEX))
    return maths.boxed(mathml.equations(found, sources)) if found else None


def _named(name: str, t: Tensor) -> Named:
    return Named(maths.spelled(name), maths.spelled(show_shape(t.shape, {})))
