"""What the page of a question says, prepared: the answer, why, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from markupsafe import Markup
from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.accounts.reuse import (
    parts,
    places_in_models,
    published_places,
    same_parameters,
    written_as,
)
from symledger.algebra import Terms, substitute
from symledger.languages.message import joined
from symledger.languages.words import part
from symledger.ledger.formula import Formula
from symledger.ledger.lines import Line
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.printing.numbers import number
from symledger.printing.rows import rows
from symledger.report import figures
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.amounts import bytes_and_units, larger_units
from symledger.site.html.calculator import Calculator, Sum, calculating
from symledger.site.kinds.model.table import Cells, cells
from symledger.site.kinds.question.mistakes import Mistake, mistakes
from symledger.site.text.questions import PER, Question, related


@dataclass(frozen=True)
class Place:
    """Where a layer occurs: a model, its page and address, the place in it, how often."""

    model: str
    page: str
    path: str
    times: int


@dataclass(frozen=True)
class Twin:
    """Another layer with the same polynomial of parameters."""

    form: Markup
    sizes: str
    what: str
    layer: str


@dataclass(frozen=True)
class Answer:
    """The answer to a question, and the account that it is read from."""

    question: Question
    account: Account
    atlas: Atlas

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas whose sum is the answer."""
        return tuple(self.account[name] for name in self.question.quantities)

    @cached_property
    def unit(self) -> str:
        """The unit of the answer."""
        return self.formulas[0].unit

    @cached_property
    def at(self) -> Mapping[Symbol, int]:
        """The known sizes."""
        return self.account.assumed.bindings

    @cached_property
    def part(self) -> tuple[Line, int]:
        """The line that is asked about (all of it, unless a part), and how often it is there."""
        whole = self.formulas[0].line
        found = {line.path: (line, often) for line, often in parts(whole, algebra.constant(1))}
        line, often = found[self.question.part]
        return line, int(algebra.value(often, self.at) or 1)

    @cached_property
    def terms(self) -> Terms:
        """The answer in sizes: a sum of quantities, a part once, or a count for each token."""
        if self.question.part:
            return substitute(self.part[0].each, self.account.assumed.equations)
        total = algebra.add(formula.corollary_terms for formula in self.formulas)
        if self.question.ask != "flops":
            return total
        return algebra.per(total, [self.account.symbols[name] for name in PER[self.question.per]])

    @property
    def calculator(self) -> Calculator:
        """Boxes for other sizes."""
        known = {s.name: n for s, n in self.at.items()}
        limits = {s: p for f in self.formulas for s, p in f.equations.items()}
        return calculating([Sum(self.unit, self.unit, self.terms)], limits, known)

    @cached_property
    def exact(self) -> Fraction:
        """The value."""
        found = algebra.value(self.terms, self.at)
        assert found is not None, f"{self.question.slug}: a size is unknown"
        return found

    @cached_property
    def value(self) -> str:
        """The value, in groups of three digits."""
        return f"{int(self.exact):,}"

    @cached_property
    def units(self) -> str:
        """The value in binary and decimal units of bytes, by their right names."""
        return larger_units(int(self.exact))

    @cached_property
    def all(self) -> str:
        """The value of a part in all places together."""
        return f"{int(self.exact * self.part[1]):,}"

    @cached_property
    def a_token(self) -> str:
        """The value for each token of a sequence."""
        return number(_whole(self.exact / self.at[self.account.symbols["T"]]))

    @cached_property
    def count(self) -> str:
        """The parameters of the whole target."""
        return f"{int(self.account.params.value or 0):,}"

    def size(self, name: str) -> str:
        """The value of a size."""
        return f"{self.at[self.account.symbols[name]]:,}"

    @cached_property
    def bytes_each(self) -> int:
        """The bytes of a value of the type that was asked for."""
        return self.account.conventions.value_bytes

    @cached_property
    def bytes_trained(self) -> int:
        """The bytes of a weight with its gradient and its optimizer's state."""
        return 2 * self.bytes_each + self.account.conventions.state_bytes

    @cached_property
    def trained_count(self) -> str:
        """The parameters that are trained, where these are not all."""
        return f"{int(self.account['params.trained'].exact or 0):,}"

    @cached_property
    def peak(self) -> str:
        """The bytes that are alive at the peak of training, where adapters are trained."""
        return bytes_and_units(int(self.account["memory.peak.train"].exact or 0))

    @cached_property
    def weights_bytes(self) -> str:
        """The bytes of the weights alone."""
        return f"{int(self.account['memory.parameters'].exact or 0):,}"

    @cached_property
    def optimizer(self) -> str:
        """What the optimizer keeps."""
        return OPTIMIZERS[self.account.conventions.optimizer].meaning

    @cached_property
    def kept(self) -> str:
        """What the backward pass needs, in units of bytes or in the sizes that are free."""
        saved = self.account["memory.saved"]
        found = saved.value
        return larger_units(found) if found is not None else figures.at_sizes(
            self.account, saved, "B"
        )  # fmt: skip

    @cached_property
    def batch(self) -> tuple[str, int, str]:
        """What activations are counted for: sequences or images, how many, and of which length.

        Empty where the sizes are free.
        """
        sizes = {s.name: n for s, n in self.at.items()}
        if "B" not in sizes:
            return "", 0, ""
        if "T" in sizes:
            return "sequence", sizes["B"], f"{sizes['T']:,}"
        return "image", sizes["B"], f"{sizes['H']:,} × {sizes['W']:,}"

    @cached_property
    def formula(self) -> Markup:
        """The answer in symbols."""
        return maths.inline(self.terms)

    @cached_property
    def numbers(self) -> Markup | None:
        """The answer with numbers for its sizes, None where that says nothing new."""
        found = maths.numbers(self.terms, self.at)
        return None if self.terms.keys() <= {algebra.ONE} else found

    @cached_property
    def sizes(self) -> list[tuple[Markup, str, str]]:
        """The sizes that stand in the answer: symbol, meaning, value."""
        stands = sorted({s for m in self.terms for s, _ in m}, key=str)
        return [
            (maths.symbol(s), getattr(s, "meaning", ""), f"{self.at[s]:,}")
            for s in stands
        ]  # fmt: skip

    @cached_property
    def rows(self) -> list[Cells]:
        """The parts of what is asked about, where a count of parameters has several."""
        if self.unit != "parameters":
            return []
        depth = 2 if self.question.name and not self.question.part else 1
        for opened in (depth, depth + 1):  # deeper where all of it is one part
            found = list(rows(self.account, self.formulas[0], opened, self.part[0]))
            if len(found) > 1:
                return [cells(self.account, row) for row in found]
        return []

    @cached_property
    def weights(self) -> list[figures.Held]:
        """The bytes of the weights that are asked about, by type."""
        if self.question.ask in ("kv_cache", "activations"):
            return []
        count = int(self.exact) if self.question.part else None
        return figures.by_type(self.account, count)

    @cached_property
    def trained(self) -> list[figures.Held]:
        """The bytes of weights, gradients and optimizer state, by optimizer."""
        return [] if self.question.part else figures.in_training(self.account)

    @cached_property
    def costs(self) -> list[tuple[str, Markup, str]]:
        """The FLOPs of each pass: its name, its formula, its value."""
        if self.question.ask not in ("params", "active", "flops") and self.question.name:
            return []
        return [
            (c.name, maths.inline(c.formula.corollary_terms), c.known)
            for c in figures.costs(self.account)
        ]  # fmt: skip

    @cached_property
    def causal(self) -> list[tuple[str, str]]:
        """The answer under each causal convention, where that makes a difference."""
        if self.question.ask != "flops":
            return []
        below = [self.at[self.account.symbols[name]] for name in PER[self.question.per]
                 if self.account.symbols[name] in self.at]  # fmt: skip
        found: list[tuple[str, str]] = []
        for kind, formula in self.account.causal("flops.forward").items():
            share = formula.exact or Fraction(0)
            for n in below:
                share /= n
            found.append((kind, number(_whole(share))))
        return found

    @cached_property
    def variants(self) -> list[figures.Variant]:
        """The layer with each flag the other way round."""
        return figures.variants(self.account) if self.question.is_layer else []

    @cached_property
    def snippet(self) -> str:
        """The lines of PyTorch that print the number of parameters."""
        return "\n".join(figures.snippet(self.account)) if self.question.is_layer else ""

    @cached_property
    def places(self) -> list[Place]:
        """The models of the catalogue that such a layer occurs in."""
        return [
            Place(o.model, self.atlas.page_of(o.model), joined(map(part, o.path), " › "), o.times)
            for o in places_in_models(self.account) if o.path
        ] if self.question.is_layer else []  # fmt: skip

    @cached_property
    def published_places(self) -> list[tuple[str, str]]:
        """The places that are known from publications: the place and its source."""
        found = published_places(self.account) if self.question.is_layer else ()
        return [(fact.words, fact.source) for fact in found]

    @cached_property
    def twins(self) -> list[Twin]:
        """Layers of another kind with as many parameters, by an identity of polynomials."""
        return [
            Twin(maths.factored(figures.divided(same.account.params.corollary_terms)),
                 ", ".join(f"{name} = {n:,}" for name, n in same.at.items()), same.side.said,
                 written_as(same.side.name, same.sizes, same.account.target.options))
            for same in (same_parameters(self.account) if self.question.is_layer else ())
        ]  # fmt: skip

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """Other numbers that are met as answers, and what they count."""
        return list(mistakes(self.question, self.account, self.terms))

    @cached_property
    def related(self) -> tuple[Question, ...]:
        """Further questions."""
        return related(self.question)

    @cached_property
    def page(self) -> str:
        """The page of the component or model that this is about."""
        return self.atlas.page_of(self.account.target.entry)


def _whole(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value


def answer(atlas: Atlas, question: Question) -> Answer:
    """Ask the ledger a question."""
    account = atlas.account(question.of, **{name: str(n) for name, n in question.set.items()})
    asked = {"dtype": question.dtype, "optimizer": question.optimizer}
    c = account.conventions
    if question.lora:
        account = atlas.once(
            f"question {question.slug}",
            lambda: derive(
                question.of, question.set, dtype=question.dtype, optimizer=question.optimizer,
                lora=question.lora,
            ),
        )
    elif (c.dtype, c.optimizer) != (question.dtype, question.optimizer):
        account = account.under(**asked)
    return Answer(question, account, atlas)
