"""What users write, as expressions: equations, polynomials in known symbols, sizes.

Text becomes an expression through a whitelist of ``ast`` nodes, and in no other way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from sympy import Expr, Integer, Rational, Symbol

from symledger import algebra
from symledger.algebra import Terms
from symledger.errors import BadInput, nearest, quoted, shown
from symledger.languages.language import ungrouped

LARGEST = 10**18
MOST_TERMS = 8
"""The longest right side of an equation; longer ones would only make formulas unreadable."""


def parse_equation(
    text: str, symbols: Mapping[str, Symbol], further: Mapping[str, Symbol] | None = None
) -> tuple[Symbol, Expr]:
    """Read ``"d_ff = 4*d"``: a symbol on the left, a polynomial in symbols on the right.

    The right side may also name ``further`` symbols: ``"d_in = d"`` asks about a map from d.

    Raises:
        BadInput: it is not of that form, or names a symbol that is not there.
    """
    left, equals, right = text.partition("=")
    if not equals or not right.strip() or right.startswith("="):
        raise BadInput(f'{quoted(text)} is not an assumption: write one as "d_ff = 4*d".')
    name = left.strip()
    symbol = _symbol(name, symbols, text)
    e = parse_expression(right, {**(further or {}), **symbols})
    polynomial = algebra.terms(e)
    if never_positive(polynomial) and (polynomial or least(symbol)):
        raise BadInput(
            f"{quoted(text)} makes {name} {'zero or ' * least(symbol)}negative; "
            f"it is a whole number from {least(symbol)} on."
        )
    check_modest(symbol, polynomial)
    return symbol, e


def least(symbol: Symbol) -> int:
    """The smallest value of a size: 1, or 0 for one that is never the length of an axis."""
    return getattr(symbol, "least", 1)


def never_positive(polynomial: Terms) -> bool:
    """Whether a polynomial in positive sizes is zero or negative, whatever they are."""
    return all(c < 0 for c in polynomial.values())


def check_modest(symbol: Symbol, polynomial: Terms) -> None:
    """Refuse what would make formulas unreadable: long sums, huge numbers, high powers.

    Raises:
        BadInput: a polynomial is one of these.
    """
    numbers = [n for c in polynomial.values() for n in (abs(c.numerator), c.denominator)]
    powers = [abs(n) for monomial in polynomial for _, n in monomial]
    if len(polynomial) > MOST_TERMS:
        raise BadInput(f"what {symbol} equals has {len(polynomial)} terms; {MOST_TERMS} may be.")
    if max(numbers, default=0) > LARGEST or max(powers, default=0) > 8:
        raise BadInput(
            f"what {symbol} equals is out of proportion: numbers go up to 10^18, powers to 8."
        )


def parse_expression(text: str, symbols: Mapping[str, Symbol]) -> Expr:
    """Read an expression of numbers, known symbols, + - * / and whole powers.

    Raises:
        BadInput: it holds anything else.
    """
    if len(text) > 500:
        raise BadInput(f"an expression of {len(text)} characters is too long; 500 are allowed.")
    try:
        tree = ast.parse(ungrouped(text).strip(), mode="eval").body
        return _build(tree, symbols, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadInput(
            f"{quoted(text)} cannot be read as an expression; write it as in 4*d or 8*d/3."
        ) from error


def _build(node: ast.expr, symbols: Mapping[str, Symbol], text: str) -> Expr:
    e = _node(node, symbols, text)
    if isinstance(e, Rational) and max(abs(e.p), e.q) > LARGEST:
        raise BadInput(f"{quoted(text)} holds a number that is too large; they go up to 10^18.")
    return e


def _node(node: ast.expr, symbols: Mapping[str, Symbol], text: str) -> Expr:
    match node:
        case ast.Constant(value=int() as n) if not isinstance(n, bool):
            return Integer(n)
        case ast.Name(id=name):
            return _symbol(name, symbols, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_build(operand, symbols, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as n)):
            if not 0 <= n <= 8:
                raise BadInput(f"{quoted(text)}: that power is not allowed; powers are 0 to 8.")
            return _build(left, symbols, text) ** n
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _build(left, symbols, text), _build(right, symbols, text)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    if b == 0:
                        raise BadInput(f"{quoted(text)} divides by zero.")
                    return a / b
    raise BadInput(
        f"{quoted(text)} may hold whole numbers, symbols, + - * / and powers only; "
        f"{quoted(ast.unparse(node))} is none of these."
    )


def _symbol(name: str, symbols: Mapping[str, Symbol], text: str) -> Symbol:
    if name not in symbols:
        raise BadInput(
            f"{quoted(text)} names {shown(name)}, which is not a symbol here. "
            + nearest(name, symbols)
        )
    return symbols[name]


def parse_size(name: str, text: str, low: int = 1) -> int:
    """Read the value of a size: a whole number from 1 to 10^18.

    ``_`` may stand between digits, spaces between groups of three. A size that may be zero is from
    ``low`` = 0 on.

    Raises:
        BadInput: it is not one.
    """
    found = shown(text)
    written = ungrouped(text).strip()
    if not re.fullmatch(r"[0-9]+(_[0-9]+)*", written):
        raise BadInput(f"{name} = {found} is not a size: a whole number from {low} to 10^18.")
    digits = written.replace("_", "").lstrip("0")
    number = int(digits or "0") if len(digits) <= 19 else LARGEST + 1
    if not low <= number <= LARGEST:
        raise BadInput(f"{name} = {found} is out of range: sizes are {low} to 10^18.")
    return number
