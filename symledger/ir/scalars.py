"""Scalar code: what a Map does to each element.

One SymPy scalar gives the value, the slope (``diff``), the LaTeX and the price. It is brought
into straight-line form, one elementary operation a line, and NumPy executes exactly these lines.
Constants are folded; each of + − × ÷, negation, integer power, named function, comparison and
select is one line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TypeAlias

from sympy import (
    Add,
    Derivative,
    Expr,
    Function,
    Integer,
    Mod,
    Mul,
    Or,
    Piecewise,
    Pow,
    Rational,
    Symbol,
    log,
)  # fmt: skip
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.utilities.iterables import sift

from symledger.errors import DefinitionError, NotKnown

X, Y, Z = ARGS = tuple(Symbol(f"_{i}", real=True) for i in range(3))
RESULT = Symbol("_result", real=True)
GRADIENT = Symbol("_gradient", real=True)

NAMED = ("exp", "log", "tanh", "erf", "sin", "cos", "floor")
"""The functions that scalar code may name; roots and reciprocal roots are powers."""

Operand: TypeAlias = "int | Expr"
"""The number of an earlier line (arguments come first), or a constant."""


@dataclass(frozen=True)
class Line:
    """One elementary operation on earlier lines and constants."""

    op: str
    args: tuple[Operand, ...]


@dataclass(frozen=True)
class Scalar:
    """A scalar function: its arguments and its value.

    ``slope_in_result``, where set, is the slope of a one-argument function written in its own
    result: then the backward pass keeps the result and not the argument. ``slope_of`` names the
    function of which this is gradient × slope, where that is written in its argument.
    """

    args: tuple[Symbol, ...]
    value: Expr
    slope_in_result: Expr | None = None
    name: str = ""
    slope_of: str = field(default="", compare=False)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The straight-line form; arguments are operands 0, 1, …, then come the lines."""
        return straight_line(self.args, self.value)

    def check_known(self) -> None:
        """Refuse what depends on what it does, where that is not known.

        Raises:
            NotKnown: its value names a function of which nothing is known.
        """
        if self._unknown:
            raise not_known(self._unknown[0])

    @property
    def is_known(self) -> bool:
        """Whether what it does is known."""
        return not self._unknown

    @cached_property
    def _unknown(self) -> tuple[AppliedUndef, ...]:
        return tuple(sorted(self.value.atoms(AppliedUndef), key=str))

    @cached_property
    def operations(self) -> int:
        """How many elementary operations it takes."""
        return sum(line.op != "copy" for line in self.lines)

    def with_constant(self, constant: Expr) -> Scalar:
        """Return this two-argument function with its second argument held at a constant."""
        return _with_constant(self, constant)

    def slope(self, position: int) -> Scalar:
        """Return gradient × slope in one argument, as a function of what it mentions.

        Its first argument is the incoming gradient, the others are a subset of this function's
        arguments and RESULT.
        """
        if position not in self._slopes:
            self._slopes[position] = _slope(self, position)
        return self._slopes[position]

    @cached_property
    def _slopes(self) -> dict[int, Scalar]:
        """Those that were asked for: finding them by this function's parts takes longer."""
        return {}


@cache
def _with_constant(code: Scalar, constant: Expr) -> Scalar:
    return Scalar(code.args[:1], code.value.xreplace({code.args[1]: constant}))


@cache
def _slope(code: Scalar, position: int) -> Scalar:
    if code.slope_in_result is not None:
        slope = code.slope_in_result
    else:
        slope = derivative(code.value, code.args[position])
    value = GRADIENT * slope
    mentioned = tuple(s for s in (*code.args, RESULT) if s in slope.free_symbols)
    of = code.name if code.slope_in_result is None else ""
    return Scalar((GRADIENT, *mentioned), value, slope_of=of)


def derivative(e: Expr, x: Symbol) -> Expr:
    """Return what ``e.diff(x)`` is, in the same form, several times faster.

    Scalar code holds sums, products, powers, cases and functions of one argument; what else there
    is, SymPy derives.
    """
    if x not in e.free_symbols:
        return Integer(0)
    if e == x:
        return Integer(1)
    if isinstance(e, Add):
        return Add(*(derivative(part, x) for part in e.args if x in part.free_symbols))
    if isinstance(e, Mul):
        varying = ((i, f) for i, f in enumerate(e.args) if x in f.free_symbols)
        return Add(*(
            Mul(*e.args[:i], derivative(f, x), *e.args[i + 1 :]) for i, f in varying
        ))  # fmt: skip
    if isinstance(e, Pow):
        inner = derivative(e.base, x) * e.exp / e.base
        varies = x in e.exp.free_symbols
        return e * (derivative(e.exp, x) * log(e.base) + inner if varies else inner)
    if isinstance(e, Piecewise):
        return Piecewise(*((derivative(part, x), condition) for part, condition in e.args))
    if isinstance(e, AppliedUndef):  # of its arguments as they are: it is all of its code
        place = "" if len(e.args) == 1 else f"_{e.args.index(x) + 1}"
        return Function(f"{type(e).__name__}'{place}")(*e.args)
    if isinstance(e, Function) and len(e.args) == 1:
        return e.fdiff() * derivative(e.args[0], x)
    return e.diff(x)


def not_known(e: AppliedUndef) -> NotKnown:
    """Say that a function is not known, by its name without the marks of a slope."""
    name = type(e).__name__.partition("'")[0]
    said = f"what {name} does is not known: neither its operations nor what it keeps."
    return NotKnown(said, name)


@cache
def straight_line(args: tuple[Symbol, ...], value: Expr) -> tuple[Line, ...]:
    """Write a scalar expression as straight-line code; equal subexpressions become one line."""
    lines: list[Line] = []
    known: dict[Expr, Operand] = {arg: position for position, arg in enumerate(args)}
    variables = frozenset(args)

    def emit(op: str, *operands: Operand) -> Operand:
        lines.append(Line(op, operands))
        return len(args) + len(lines) - 1

    def visit(e: Expr) -> Operand:
        if e in known:
            return known[e]
        if not varies(e):
            return e
        known[e] = result = build(e)
        return result

    def build(e: Expr) -> Operand:
        if isinstance(e, Add):
            return total(e)
        if isinstance(e, Mul):
            return product(e)
        if isinstance(e, Pow):
            return power(e)
        if isinstance(e, Piecewise):
            return select(e)
        if isinstance(e, Relational):
            if e.rel_op not in ("<", "<=", ">", ">="):
                raise DefinitionError(f"scalar code compares by order, not by {e.rel_op}.")
            return emit(e.rel_op, visit(e.lhs), visit(e.rhs))
        if isinstance(e, AppliedUndef):
            raise not_known(e)
        if isinstance(e, Mod):
            return emit("mod", visit(e.args[0]), visit(e.args[1]))
        if isinstance(e, Function) and type(e).__name__ in NAMED:
            return emit(type(e).__name__, visit(e.args[0]))
        raise DefinitionError(
            f"scalar code cannot hold {type(e).__name__}: it is made of + − × ÷, powers, "
            f"Piecewise and {', '.join(NAMED)}."
        )

    def varies(e: Expr) -> bool:
        return bool(variables & e.free_symbols)

    def total(e: Expr) -> Operand:
        terms, constants = sift(e.args, varies, binary=True)
        constant, ordered = Add(*constants), sorted(terms, key=_negative)
        if constant != 0 and _negative(ordered[0]):
            result, constant = emit("-", constant, visit(-ordered[0])), Integer(0)
        else:
            result = visit(ordered[0])
        for term in ordered[1:]:
            if _negative(term):
                result = emit("-", result, visit(-term))
            else:
                result = emit("+", result, visit(term))
        if constant.could_extract_minus_sign():
            return emit("-", result, -constant)
        return emit("+", result, constant) if constant != 0 else result

    def product(e: Expr) -> Operand:
        factors, constants = sift(e.args, varies, binary=True)
        constant = Mul(*constants)
        above = [f for f in factors if not _reciprocal(f)]
        below = [1 / f for f in factors if _reciprocal(f)]
        if not above:
            result: Operand = constant
        else:
            result = visit(above[0])
            for factor in above[1:]:
                result = emit("*", result, visit(factor))
            if constant == -1:
                result = emit("neg", result)
            elif constant != 1:
                result = emit("*", result, constant)
        for factor in below:
            result = emit("/", result, visit(factor))
        return result

    def power(e: Expr) -> Operand:
        base, exponent = e.base, e.exp
        if varies(exponent):
            return emit("power", visit(base), visit(exponent))
        if exponent == Rational(1, 2):
            return emit("sqrt", visit(base))
        if exponent == Rational(-1, 2):
            return emit("rsqrt", visit(base))
        if exponent == -1:
            return emit("/", Integer(1), visit(base))
        if exponent.is_Integer:
            return emit("power", visit(base), exponent)
        if exponent.is_Rational and exponent.q == 2:
            return emit("power", visit(Pow(base, Rational(exponent.p > 0 or -1, 2))),
                        Integer(abs(exponent.p)))
        if exponent.is_Rational:
            return emit("power", visit(base), exponent)
        raise DefinitionError(f"scalar code cannot hold the power {exponent}.")

    def select(e: Expr) -> Operand:
        result = visit(e.args[-1][0])
        for branch, condition in reversed(e.args[:-1]):
            for either in reversed(alternatives(condition)):
                result = emit("select", visit(either), visit(branch), result)
        return result

    if Derivative in {type(node) for node in value.atoms(Derivative)}:
        raise DefinitionError("scalar code has a function without a known derivative.")
    result = visit(value)
    if not lines or result != len(args) + len(lines) - 1:
        emit("copy", result)
    return tuple(lines)


def alternatives(condition: Expr) -> tuple[Expr, ...]:
    """The comparisons of which one is enough, in a fixed order."""
    found: tuple[Expr, ...] = condition.args if isinstance(condition, Or) else (condition,)
    return found


def _negative(term: Expr) -> bool:
    return bool(term.could_extract_minus_sign())


def _reciprocal(factor: Expr) -> bool:
    return isinstance(factor, Pow) and factor.exp == -1


ADD = Scalar((X, Y), X + Y, name="+")
SUBTRACT = Scalar((X, Y), X - Y, name="-")
MULTIPLY = Scalar((X, Y), X * Y, name="*")
DIVIDE = Scalar((X, Y), X / Y, name="/")
NEGATE = Scalar((X,), -X)
COPY = Scalar((X,), X)
CAST = Scalar((X,), X, name="cast")
CACHED = Scalar((X,), X, name="cached")
"""The same numbers in another type; of a weight once, in a copy that is there until the forward
pass has ended."""
