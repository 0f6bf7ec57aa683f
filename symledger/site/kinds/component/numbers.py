"""What a component costs: each quantity as symbols, numbers, result; the variants side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from markupsafe import Markup
from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.languages.message import message
from symledger.languages.words import case as case_named
from symledger.languages.words import choice
from symledger.ledger.formula import Formula
from symledger.printing.rows import Row, fitting, written
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.amounts import larger_units
from symledger.site.html.copies import Copies, copies
from symledger.site.text.examples import USUAL, usual, word
from symledger.site.text.voice import number
from symledger.targets.target import equations_of

GROUPS = {
    "parameters": ("params", "params.active"),
    "flops": ("flops.forward", "flops.backward", "flops.training", "flops.forward.pointwise",
              "flops.backward.pointwise"),
    "memory": ("memory.parameters", "memory.gradients", "memory.optimizer", "memory.saved",
               "memory.training", "memory.kv_cache"),
    "traffic": ("traffic.forward", "traffic.unfused", "intensity.forward"),
}  # fmt: skip
"""The sections of a page, and the quantities in each."""

LINES = ("params", "flops.forward", "memory.saved")
"""The quantities whose lines are shown one by one."""
LONG = 8
"""Terms of a formula that is long: of the other quantities' long ones, the numbers put in and what
is repeated stand on their own pages."""
CARD = 32
"""Characters of a formula that has room on a card, also on a phone's."""
UNSEEN = str.maketrans("", "", "·_")
"""What a formula's text has and its markup shows by nothing or by a smaller letter."""
MANY = 20
"""Rows that a table of lines has at most, but for those of the first level."""


@dataclass(frozen=True)
class Amount:
    """One quantity: its formula, with numbers, its value; where its own page is.

    ``rounded`` says that the value is not whole, and given by a few digits; ``is_long``, that the
    numbers are not put in here.
    """

    name: str
    label: str
    note: str
    unit: str
    page: str
    formula: Markup
    sums: Markup
    value: str
    rounded: bool
    copies: Copies
    units: str = ""
    lines: tuple[Row, ...] = ()
    derivation: str = ""
    is_long: bool = False
    is_short: bool = True
    on_card: bool = True


def groups(atlas: Atlas, account: Account) -> dict[str, tuple[Amount, ...]]:
    """Return the quantities that a component has, by section."""
    return {
        section: tuple(amount(atlas, account, name) for name in names if name in account.quantities)
        for section, names in GROUPS.items()
    }


def amount(atlas: Atlas, account: Account, name: str) -> Amount:
    """Return one quantity at the sizes of the example."""
    formula = account[name]
    lines = fitting(account, formula, MANY) if name in LINES else ()
    is_long = name not in LINES and not is_short(formula.corollary_terms)
    sums = maths.formula(formula) if is_long else maths.substituted(formula)
    return Amount(
        name, message(f"label.{name}"), formula.quantity.meaning, formula.unit,
        atlas.formula_page(formula.id), maths.of(formula), sums, shown(formula),
        is_rounded(formula), copies(formula, atlas.formula_page(formula.id)), in_units(formula),
        lines if len(lines) > 1 else (),
        maths.derivation(account.target.name, formula) if lines and opens(formula) else "", is_long,
        is_short(formula.corollary_terms), len(formula.text.translate(UNSEEN)) <= CARD,
    )  # fmt: skip


def is_short(polynomial: Terms) -> bool:
    """Whether a formula is written wherever it helps; a long one stands once on a page."""
    return len(polynomial) <= LONG


def is_arranged(account: Account) -> bool:
    """Whether operations by themselves move less than all that enters and leaves: views do not."""
    moved, apart = account["traffic.forward"].exact, account["traffic.unfused"].exact
    return moved is not None and apart is not None and apart < moved


def glance(account: Account) -> tuple[str, str, str]:
    """Return the quantities to see first; pointwise work where nothing is contracted."""
    works = "flops.forward" in account.quantities
    return "params", "flops.forward" if works else "flops.forward.pointwise", "memory.saved"


def opens(formula: Formula) -> bool:
    """Whether a derivation says more than its result."""
    return len({written(step.shown) for step in formula.steps}) > 1


def is_rounded(formula: Formula) -> bool:
    """Whether a value is no whole number."""
    return formula.exact is not None and formula.exact.denominator > 1


def shown(formula: Formula) -> str:
    """Write a value; nothing while a size is not given."""
    return "" if formula.exact is None else number(formula.exact)


def in_units(formula: Formula) -> str:
    """Write bytes in larger units; nothing for what is no number of bytes."""
    if formula.unit != "bytes" or formula.exact is None:
        return ""
    return larger_units(int(formula.exact))


@dataclass(frozen=True)
class Form:
    """A formula and its value in a table of variants; ``same`` where the default has it too."""

    formula: Markup
    value: str
    is_short: bool = True
    same: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Variant:
    """A component with one thing chosen otherwise; ``given`` are the equations of a named case."""

    label: str
    given: str
    forms: tuple[Form, ...]
    is_default: bool = False


def variants(atlas: Atlas, account: Account) -> tuple[Variant, ...]:
    """Return the component as it is, each choice made otherwise, and its named cases."""
    forms = tuple(
        Form(maths.of(f), shown(f), is_short(f.corollary_terms)) for f in _compared(account)
    )
    others = [
        replace(other, forms=tuple(
            replace(form, same=form.formula == default.formula)
            for form, default in zip(other.forms, forms, strict=True)
        ))
        for other in (*_toggled(atlas, account), *_cases(account))
    ]  # fmt: skip
    return (Variant("", "", forms, is_default=True), *others) if others else ()


def _toggled(atlas: Atlas, account: Account) -> Iterator[Variant]:
    target = account.target
    here = {s.name: n for s, n in account.assumed.bindings.items()}
    own = {n: v for n, v in target.options.items() if v != target.defaults[n]}
    plain = atlas.account(target.name).assumed.equations.keys()
    own |= {s.name: here[s.name] for s in plain - account.assumed.equations.keys()}
    for option, allowed in target.tried.items():
        for value in allowed:
            if value != target.options[option]:
                chosen = {name: word(v) for name, v in {**own, option: value}.items()}
                other = atlas.account(target.name, **chosen)
                sizes = {**{name: int(n) for name, n in usual(other).items()}, **here}
                forms = (
                    Form(maths.of(f), _at(f, sizes), is_short(f.corollary_terms))
                    for f in _compared(other)
                )
                yield Variant(choice(option, value), "", tuple(forms))


def _compared(account: Account) -> tuple[Formula, ...]:
    return tuple(account[name] for name in glance(account))


def _at(formula: Formula, sizes: Mapping[str, int]) -> str:
    known = {s for m in formula.corollary_terms for s, _ in m if s.name in sizes}
    return _value(formula.corollary_terms, {s: sizes[s.name] for s in known})


def _cases(account: Account) -> Iterator[Variant]:
    for name, case in account.corollaries.items():
        stated = equations_of(account.target.cases[name], account.symbols, account.program)
        given = {s: algebra.terms(e) for s, e in stated.items()}
        found = [algebra.substitute(account[q].general, given) for q in glance(account)]
        at, free = _sizes(account, {s for p in found for m in p for s, _ in m})
        said = (*case.equations, *(f"{name} = {n:,}" for name, n in free.items()))
        yield Variant(
            case_named(name), ", ".join(said),
            tuple(Form(maths.inline(p), _value(p, at), is_short(p)) for p in found),
        )


def _sizes(account: Account, symbols: set[Symbol]) -> tuple[dict[Symbol, int], dict[str, int]]:
    """Return the sizes at which a case is shown, and those that are its own.

    A size that the case sets free, whatever the assumptions said, has a usual value.
    """
    known = account.assumed.bindings
    names = sorted(s.name for s in symbols if s in account.assumed.equations or s not in known)
    free = {name: USUAL[name] for name in names}
    return {s: free.get(s.name) or known[s] for s in symbols}, free


def _value(polynomial: Terms, at: dict[Symbol, int]) -> str:
    found = algebra.value(polynomial, at)
    return "" if found is None else number(found)
