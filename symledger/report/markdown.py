"""An account as Markdown: tables and formulas between dollar signs."""

from __future__ import annotations

from collections.abc import Sequence

from symledger import algebra
from symledger.accounts.account import Account
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import Peak
from symledger.printing.latex import LATEX
from symledger.printing.moments import named
from symledger.printing.numbers import error_percent, number
from symledger.printing.rows import rows


def write(account: Account, quantities: Sequence[str], depth: int) -> str:
    """Write a section for each quantity: its lines, its derivation, its leading form."""
    target, assumed = account.target, account.assumed
    bound = ", ".join(f"{s} = {n}" for s, n in sorted(assumed.bindings.items(), key=str))
    parts = [f"# {target.name}\n\n{target.title}."]
    if bound:
        parts.append(f"At {bound}.")
    parts += [section(account, account[name], depth) for name in quantities]
    conventions = account.counted.items()
    said = "\n".join(f"- {name.replace('_', ' ')}: {meaning}" for name, meaning in conventions)
    parts.append(f"## Conventions\n\n{said}")
    return "\n\n".join(parts) + "\n"


def section(account: Account, formula: Formula, depth: int) -> str:
    """Write one quantity; of a peak its moments, then the largest of them."""
    if isinstance(formula, Peak):
        return _peak(account, formula, depth)
    table = ["| line | formula | value | share |", "|---|---|--:|--:|"]
    for row in rows(account, formula, depth):
        name = (row.guide + row.label).replace(" ", "\u00a0").replace("|", "\\|")
        table.append(f"| {name} | {row.formula} | {row.value} | {row.share} |")
    value = "" if formula.value is None else f"**{number(formula.value)}**"
    table.append(f"| **total** | {formula.text} | {value} | |")
    steps: list[str] = []
    for step in formula.opened_to(depth):
        shown = f"$= {LATEX.shown(step.shown)}$"
        if not steps or shown not in steps[-1]:
            steps.append(f"- {shown} ({step.reason.replace('*', '')})")
    if formula.divisor:
        below = algebra.latex(formula.divisor.corollary_terms)
        steps = [f"- $= ({algebra.latex(formula.corollary_terms)}) / ({below})$"]
    lines = [f"## {formula.id}", f"{formula.quantity.meaning}, in {formula.unit}",
             "\n".join(table), "\n".join(steps), *_leading(formula)]  # fmt: skip
    return "\n\n".join(lines)


def _peak(account: Account, peak: Peak, depth: int) -> str:
    table = ["| moment | formula | value |", "|---|---|--:|"]
    for m, name in named(peak.remaining).items():
        value = "" if m.exact is None else number(m.exact)
        table.append(f"| {name} | {m.text} | {value} |")
    holds = ", ".join(f"`{each.canonical}`" for each in peak.depths)
    lines = [f"## {peak.id}", f"{peak.quantity.meaning}, in {peak.unit}", "\n".join(table)]
    lines += [f"where {holds}"] if holds else []
    return "\n\n".join([*lines, *([section(account, peak.largest, depth)] if peak.largest else [])])


def _leading(formula: Formula) -> list[str]:
    lead, at = formula.leading, formula.assumed.bindings
    if not lead or not lead.charged:
        return []
    bound, error = lead.bound(at), formula.error
    about = f"$\\approx {algebra.latex(lead.terms)}$"
    most = lead.written(algebra.latex, r"\max")
    if bound is None or error is None:
        return [f"{about}, proven too low by at most ${most}$"]
    return [
        f"{about}, too low by {error_percent(error)}; "
        f"proven: by at most ${most}$ = {error_percent(bound)}"
    ]
