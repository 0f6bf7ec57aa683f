"""Formulas as Python functions of whole numbers: exact, with nothing to import."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from math import lcm

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Monomial, Terms
from symledger.ledger.formula import Formula


def write(account: Account, quantities: Sequence[str], depth: int) -> str:
    """Write one function for each quantity; values that are bound become defaults."""
    del depth  # a function has no levels
    functions = "\n\n".join(function(account[name]) for name in quantities)
    ratio = any(account[name].divisor for name in quantities)
    return ("from fractions import Fraction\n\n\n" if ratio else "") + functions


def function(formula: Formula) -> str:
    """Write a formula as a function with keyword arguments and a docstring that says it all."""
    above, below = fraction(formula.corollary_terms)
    if formula.divisor:
        numerator, divisor = fraction(formula.divisor.corollary_terms)
        above, below = algebra.multiply(above, divisor), algebra.multiply(below, numerator)
    at = formula.assumed.bindings
    symbols = sorted({s for m in (*above, *below) for s, _ in m}, key=lambda s: s.name)
    arguments = [f"{safe(s)}: int" + (f" = {at[s]}" if s in at else "") for s in symbols]
    name = formula.id.replace(".", "_").replace("-", "_")
    head = f"def {name}(*, {', '.join(arguments)})" if arguments else f"def {name}()"
    returns = "Fraction" if formula.divisor else "int"
    meaning = formula.quantity.meaning
    said = f"{meaning[0].upper()}{meaning[1:]}, in {formula.unit}."
    assumed = f"\n\n    With {', '.join(formula.assumptions)}.\n    " if formula.assumptions else ""
    return (
        f'{head} -> {returns}:\n    """{formula.id}. {said}{assumed}"""\n'
        + "\n".join(f"    {line}" for line in _body(above, below, symbols, bool(formula.divisor)))
        + "\n"
    )


def _body(above: Terms, below: Terms, symbols: list[Symbol], ratio: bool) -> list[str]:
    numerator, denominator = code(above, symbols), code(below, symbols)
    names = ", ".join(safe(s) for s in symbols)
    guard = []
    if symbols:
        smallest = f"min({names})" if len(symbols) > 1 else names
        refusal = 'raise ValueError("sizes are positive whole numbers")'
        guard = [f"if {smallest} < 1:", f"    {refusal}"]
    if ratio:
        return [*guard, f"return Fraction({numerator}, {denominator})"]
    if denominator == "1":
        return [*guard, f"return {numerator}"]
    return [
        *guard,
        f"quotient, rest = divmod({numerator}, {denominator})",
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


def fraction(polynomial: Terms) -> tuple[Terms, Terms]:
    """Return a polynomial as one fraction of two without negative powers."""
    number = lcm(*(c.denominator for c in polynomial.values())) if polynomial else 1
    lowest: dict[Symbol, int] = {}
    for monomial in polynomial:
        for symbol, n in monomial:
            lowest[symbol] = min(lowest.get(symbol, 0), n)
    negative = sorted(((s, -n) for s, n in lowest.items() if n < 0), key=lambda p: p[0].name)
    below: Terms = {Monomial(negative): number}
    return algebra.multiply(polynomial, below), below
