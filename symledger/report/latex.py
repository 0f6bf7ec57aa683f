"""A derivation as LaTeX: an ``align`` that compiles when pasted into a paper (amsmath only)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from symledger import algebra
from symledger.account import Account
from symledger.derivation import Shown
from symledger.formulas import Formula
from symledger.report.rows import plus

WIDTH = 40
"""Visible characters in a line before it is broken at a sign."""


def write(account: Account, quantities: Sequence[str], depth: int) -> str:
    """Write one ``align`` for each quantity, levels of the tree opened down to ``depth``."""
    target = account.target.name
    return "\n".join(derivation(target, account[name], depth) for name in quantities)


def derivation(target: str, formula: Formula, depth: int) -> str:
    """Write a formula's derivation: opened, collected, assumed, leading, in numbers."""
    name = rf"\text{{{formula.quantity.name}}}"
    rows: list[str] = []
    for sign, right, reason in _steps(formula, depth):
        first, *more = _broken("" if rows else f"{name} ", sign, right)
        text = rf"\intertext{{{reason}}}" + "\n" if rows and reason else ""
        rows += [text + first, *more]
    label = rf"{rows[-1]} \label{{eq:{target}.{formula.quantity.name}}}"
    rows = [*(rf"{row} \notag" for row in rows[:-1]), label]
    head = [
        f"% {formula.id}: {formula.quantity.meaning}, in {formula.unit}",
        *(f"% with {equation}" for equation in formula.assumptions),
    ]
    return "\n".join([*head, r"\begin{align}", " \\\\\n".join(rows), r"\end{align}", ""])


def _steps(formula: Formula, depth: int) -> Iterable[tuple[str, str, str]]:
    """Yield (relation, right side, reason) for each line of the derivation."""
    if formula.divisor:
        below = algebra.latex(formula.divisor.corollary_terms)
        yield "=", f"({algebra.latex(formula.corollary_terms)}) / ({below})", ""
    else:
        shown_before = ""
        for step in formula.opened_to(depth):
            shown = body(step.shown)
            if shown != shown_before:
                yield "=", shown, _reason(formula, step.given is not None, step.reason)
            shown_before = shown
    if formula.value is not None and formula.corollary_terms.keys() - {()}:
        yield "=", _numbers(formula), ""
    yield from _leading(formula)


def _reason(formula: Formula, assumed: bool, reason: str) -> str:
    if not assumed:
        return reason
    pairs = (
        f"${algebra.latex(algebra.terms(s))} = {algebra.latex(p)}$"
        for s, p in formula.equations.items()
    )
    return f"with {', '.join(pairs)}"


def body(shown: Shown) -> str:
    """Write a shown polynomial: ``V d + L (12 d^{2} + 2 d) + d``."""
    if not shown.parts:
        return algebra.latex(shown.polynomial)
    inner = plus([body(part) for part in shown.parts])
    if not shown.factor:
        return inner
    factor = algebra.latex(shown.factor)
    return f"({factor}) ({inner})" if len(shown.factor) > 1 else f"{factor} ({inner})"


def _leading(formula: Formula) -> Iterable[tuple[str, str, str]]:
    lead = formula.leading
    if not lead or not lead.charged:
        return
    most = lead.written(algebra.latex, r"\max")
    main, bound = (f(formula.assumed.bindings) for f in (lead.value, lead.bound))
    number = "" if main is None else f" = {latex_value(main)}"
    said = f"relatively too low by at most ${most}$ where all sizes are at least 1"
    if formula.error is not None and bound is not None:
        errors = (f"{float(100 * e):.2g}" for e in (formula.error, bound))
        said += r"; here by ${}\,\%$, at most ${}\,\%$".format(*errors)
    yield r"\approx", algebra.latex(lead.terms) + number, said


def _numbers(formula: Formula) -> str:
    assert formula.exact is not None
    return latex_value(formula.exact)


def latex_value(value: int | Fraction) -> str:
    """Write an exact value."""
    if value.denominator == 1:
        return algebra.latex_number(int(value))
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def _broken(name: str, sign: str, right: str) -> Iterable[str]:
    """Break a long right side before its signs."""
    parts = re.split(r" (?=[+-] )", right)
    line, lines = parts[0], []
    for part in parts[1:]:
        if visible(f"{line} {part}") > WIDTH:
            lines.append(line)
            line = part
        else:
            line += f" {part}"
    lines.append(line)
    for i, text in enumerate(lines):
        lead = f"{name}&{sign} " if i == 0 else r"&\quad {} "
        yield lead + text


def visible(tex: str) -> int:
    """Return about how many characters wide TeX source prints; capitals are half as wide again."""
    plain = re.sub(r"\\[a-zA-Z]+|[{}_^$ ]", "", tex)
    return len(plain) + sum(c.isupper() for c in plain) // 2
