"""Why a page may be believed: its evidence, errors by step, mistakes that were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from symledger import algebra, sizes
from symledger.accounts.account import Account
from symledger.algebra.parsing import parse_expression
from symledger.catalogue.text_places import said_by
from symledger.catalogue.texts import Bug
from symledger.errors import BadInput
from symledger.evidence.demonstrations import Demonstration, Found, Steps, demonstration
from symledger.evidence.records import Record
from symledger.languages.message import message
from symledger.ledger.formula import Formula
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.plots.axes import Axis
from symledger.site.plots.figure import Figure
from symledger.site.plots.lines import Series, line_plot
from symledger.site.text.examples import word
from symledger.site.text.voice import number

EXACT = ("substitution", "counted operations", "saved set", "live set")
"""The kinds of checks that compare a formula with a number, to the unit."""


@dataclass(frozen=True)
class Evidence:
    """One kind of comparison: what it is about, how many points, and the worst deviation."""

    kind: str
    status: str
    quantities: str
    points: int
    seeds: str
    worst: str
    claims: tuple[str, ...]


def evidence(account: Account) -> tuple[Evidence, ...]:
    """Return what was recorded about a component, kind by kind."""
    kinds: dict[tuple[str, str], list[Record]] = {}
    seen = {(r.kind, r.claim): r for found in account.evidence.values() for r in found}
    for r in seen.values():
        kinds.setdefault((r.kind, r.status), []).append(r)
    return tuple(
        Evidence(
            kind, status, ", ".join(dict.fromkeys(r.quantity for r in found)),
            len({str(p) for r in found for p in r.points}),
            ", ".join(dict.fromkeys(str(r.seed) for r in found)),
            max((r.worst for r in found), key=float),
            tuple(dict.fromkeys(r.claim for r in found)),
        )
        for (kind, status), found in kinds.items()
    )  # fmt: skip


@dataclass(frozen=True)
class Plot:
    """The errors of central differences by step; ``bug`` is whose errors are drawn beside them."""

    figure: Figure
    analytic: str
    bug: str
    at: Markup


def plot(owner: str, bugs: tuple[Bug, ...]) -> Plot | None:
    """Return the plot of an owner; None where nothing was recorded."""
    shown = demonstration(owner)
    if shown is None or not shown.steps:
        return None
    bug, wrong = next(_curves(shown, bugs), ("", ()))
    series = [Series(message("plot.as_derived"), _numbers(shown.steps), 3, marked=True)]
    if wrong:
        series.append(Series(message("plot.with_a_bug"), _numbers(wrong), 5, marked=True))
    figure = line_plot(
        f"errors-{owner}", message("plot.errors"),
        Axis(message("plot.step"), log=True, ticks=(1e-12, 1e-9, 1e-6, 1e-3)),
        Axis(message("plot.relative_error"), log=True, ticks=(1e-16, 1e-12, 1e-8, 1e-4, 1)), series,
    )  # fmt: skip
    return Plot(figure, shown.analytic, bug, maths.settings(shown.point))


def _curves(shown: Demonstration, bugs: tuple[Bug, ...]) -> Iterator[tuple[str, Steps]]:
    for bug in bugs:
        found = shown.mistakes.get(str(bug.mistake))
        if bug.mistake and found and found.steps:
            yield bug.title, found.steps


def _numbers(steps: Steps) -> tuple[tuple[float, float], ...]:
    return tuple((float(step), float(error)) for step, error in reversed(steps))


@dataclass(frozen=True)
class Demonstrated:
    """A bug with its demonstration.

    For a formula: wrong and right in symbols and numbers, and the same where a check compares
    them; ``general`` are both as a check has them, which assumes nothing, where that is not the
    same. For a mistake in the program: the check that finds it, and what it saw.
    """

    bug: Bug
    check: str
    wrong: str = ""
    right: str = ""
    wrong_value: str = ""
    right_value: str = ""
    unit: str = ""
    at: str = ""
    wrong_there: str = ""
    right_there: str = ""
    general: tuple[Markup, Markup] | None = None
    found: Found | None = None


def bugs(
    atlas: Atlas, account: Account, settings: Mapping[str, str], texts: tuple[Bug, ...]
) -> tuple[Demonstrated, ...]:
    """Return the bugs of a text, demonstrated.

    Raises:
        BadInput: one is not: its formula is right, or no check was recorded to find it.
    """
    shown = demonstration(account.target.owner)
    found = []
    for bug in texts:
        if bug.mistake is None:
            chosen = {**settings, **{name: word(v) for name, v in bug.options.items()}}
            with said_by(account.target.entry):
                other = atlas.account(account.request.target, **chosen)
                found.append(_formula(other, bug))
            continue
        seen = shown.mistakes.get(str(bug.mistake)) if shown else None
        if seen is None:
            raise BadInput(
                f"no record says which check finds {bug.mistake} of {account.target.name}: "
                f"run symledger record {account.target.name}."
            )
        found.append(Demonstrated(bug, seen.kind, found=seen))
    return tuple(found)


def _formula(account: Account, bug: Bug) -> Demonstrated:
    """Put a wrong formula beside the right one, and where a check met both."""
    right = account[bug.quantity]
    known = {**sizes.BY_NAME, **account.symbols}
    wrong = algebra.terms(parse_expression(bug.wrong, known))
    assumed = algebra.substitute(wrong, right.assumed.equations)
    here = algebra.value(assumed, account.assumed.bindings)
    plain = assumed == wrong and right.corollary_terms == right.general
    kind, point, there, truth = refused(account, right, wrong)
    return Demonstrated(
        bug, kind, maths.inline(assumed),
        maths.of(right), "" if here is None else number(here),
        "" if right.exact is None else number(right.exact), right.unit,
        maths.settings(point), number(there), number(truth),
        None if plain else (maths.inline(wrong), maths.of(right, general=True)),
    )  # fmt: skip


def refused(
    account: Account, right: Formula, wrong: algebra.Terms
) -> tuple[str, Mapping[str, int], algebra.Number, algebra.Number]:
    """Return the check, the sizes at which it was made, and what either formula says there.

    Raises:
        BadInput: the formulas agree wherever a check compared, or nothing was recorded.
    """
    records = account.evidence[right.quantity.name]
    if not records:
        owner = account.target.owner
        raise BadInput(f"nothing is recorded of {right.id} yet: run `symledger record {owner}`.")
    for record in records:
        for point in record.points if record.kind in EXACT else ():
            at = {s: point[s.name] for s in account.symbols.values() if s.name in point}
            there, truth = algebra.value(wrong, at), algebra.value(right.general, at)
            if there is not None and truth is not None and there != truth:
                return record.kind, point, there, truth
    raise BadInput(
        f"the wrong formula {algebra.canonical(wrong)} agrees with {right.id} wherever a check "
        "compared them: it demonstrates nothing."
    )
