"""Formulas as Python functions of whole numbers: exact, with nothing to import."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from math import lcm

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Monomial, Terms
from symledger.errors import BadInput
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import Depth, Peak
from symledger.ledger.quantities import TOUCHED


def write(account: Account, quantities: Sequence[str], depth: int) -> str:
    """Write one function for each quantity; values that are bound become defaults."""
    del depth  # a function has no levels
    functions = "\n\n".join(function(account[name]) for name in quantities)
    ratio = any(account[name].divisor for name in quantities)
    return ("from fractions import Fraction\n\n\n" if ratio else "") + functions


def function(formula: Formula) -> str:
    """Write a formula as a function with keyword arguments and a docstring that says it all."""
    if formula.quantity.name in TOUCHED:
        raise BadInput(
            f"{formula.id} is no function of whole numbers: how many experts are touched need not "
            "be one. Write it as text, latex, markdown or with --json."
        )
    peak = formula if isinstance(formula, Peak) else None
    forms = [m.corollary_terms for m in peak.remaining] if peak else [formula.corollary_terms]
    below = denominator(forms)
    above = [algebra.multiply(form, below) for form in forms]
    if formula.divisor:
        numerator, divisor = fraction(formula.divisor.corollary_terms)
        above, below = [algebra.multiply(above[0], divisor)], algebra.multiply(below, numerator)
    at = formula.assumed.bindings
    own = {s for form in (*above, below) for m in form for s, _ in m}
    symbols = sorted(own, key=lambda s: s.name)
    arguments = [f"{safe(s)}: int" + (f" = {at[s]}" if s in at else "") for s in symbols]
    name = formula.id.replace(".", "_").replace("-", "_")
    head = f"def {name}(*, {', '.join(arguments)})" if arguments else f"def {name}()"
    returns = "Fraction" if formula.divisor else "int"
    meaning = formula.quantity.meaning
    said = f"{meaning[0].upper()}{meaning[1:]}, in {formula.unit}."
    assumed = f"\n\n    With {', '.join(formula.assumptions)}.\n    " if formula.assumptions else ""
    body = _body(above, below, symbols, bool(formula.divisor), peak.depths if peak else ())
    return (
        f'{head} -> {returns}:\n    """{formula.id}. {said}{assumed}"""\n'
        + "\n".join(f"    {line}" for line in body)
        + "\n"
    )


def _body(
    above: list[Terms], below: Terms, symbols: list[Symbol], ratio: bool, depths: Sequence[Depth]
) -> list[str]:  # fmt: skip
    numerator, divisor = _largest([code(form, symbols) for form in above]), code(below, symbols)
    names = ", ".join(safe(s) for s in symbols)
    guard = []
    if symbols:
        smallest = f"min({names})" if len(symbols) > 1 else names
        refusal = 'raise ValueError("sizes are positive whole numbers")'
        guard = [f"if {smallest} < 1:", f"    {refusal}"]
    for depth in depths:
        if all(symbol in symbols for monomial in depth.times for symbol, _ in monomial):
            guard += [f"if not ({depth.canonical}):",
                      f'    raise ValueError("this holds where {depth.canonical}")']  # fmt: skip
    if ratio:
        return [*guard, f"return Fraction({numerator}, {divisor})"]
    if divisor == "1":
        return [*guard, f"return {numerator}"]
    return [
        *guard,
        f"quotient, rest = divmod({numerator}, {divisor})",
        "if rest:",
        '    raise ValueError("these sizes do not divide")',
        "return quotient",
    ]


def code(polynomial: Terms, symbols: list[Symbol]) -> str:
    """Write a polynomial without divisions as Python; keywords among its symbols get a ``_``."""
    renamed: dict[Symbol, Terms] = {
        s: algebra.variable(Symbol(safe(s)))
        for s in symbols if safe(s) != s.name
    }  # fmt: skip
    return algebra.canonical(algebra.substitute(polynomial, renamed))


def safe(symbol: Symbol) -> str:
    """Return a symbol's name as a Python argument."""
    return f"{symbol.name}_" if keyword.iskeyword(symbol.name) else str(symbol.name)


def _largest(each: list[str]) -> str:
    """Write the largest of some expressions, each in a line of its own; of one, itself."""
    if len(each) == 1:
        return each[0]
    return "max(\n" + "".join(f"        {one},\n" for one in each) + "    )"


def fraction(polynomial: Terms) -> tuple[Terms, Terms]:
    """Return a polynomial as one fraction of two without negative powers."""
    below = denominator([polynomial])
    return algebra.multiply(polynomial, below), below


def denominator(forms: Sequence[Terms]) -> Terms:
    """Return what polynomials are to be multiplied with, to have whole and no negative powers."""
    number = lcm(*(c.denominator for form in forms for c in form.values()))
    lowest: dict[Symbol, int] = {}
    for form in forms:
        for monomial in form:
            for symbol, n in monomial:
                lowest[symbol] = min(lowest.get(symbol, 0), n)
    negative = sorted(((s, -n) for s, n in lowest.items() if n < 0), key=lambda p: p[0].name)
    return {Monomial(negative): number}
