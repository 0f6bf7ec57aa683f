"""Scalar code: its value, its slope and its price are one SymPy expression's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import And, Function, Integer, Mod, Piecewise, Rational, Symbol, cos, exp, pi, sin, sqrt

from symledger.errors import DefinitionError, NotKnown
from symledger.ir import scalars
from symledger.ir.functions import FUNCTIONS, LOSSES, function, leaky, loss
from symledger.ir.scalars import ARGS, GRADIENT, RESULT, X, Y, Z
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import Size

IN_RESULT = [name for name in FUNCTIONS if function(name).slope_in_result is not None]
BINARY = [scalars.ADD, scalars.SUBTRACT, scalars.MULTIPLY, scalars.DIVIDE]
POINTS = [Rational(n, 7) for n in (1, 3, 5, 11, 16)]
BOTH_SIGNS = [-p for p in POINTS] + POINTS


def run(args, value, at):
    """Execute straight-line code at numbers."""
    return float(Machine({}).lines(args, value, [np.array(float(x)) for x in at]))


def domain(name):
    return POINTS if name in ("log", "sqrt", "rsqrt", "three_quarters") else BOTH_SIGNS


def test_relu_tanh_sigmoid_exp_and_roots_keep_their_result():
    assert set(IN_RESULT) == {"relu", "tanh", "sigmoid", "exp", "sqrt", "rsqrt"}


@pytest.mark.parametrize("name", [name for name in IN_RESULT if name != "relu"])
def test_the_slope_in_the_result_is_identically_the_slope_in_the_argument(name):
    code = function(name)
    difference = code.slope_in_result.subs(RESULT, code.value) - code.value.diff(X)
    assert difference.rewrite(exp).together().expand().cancel() == 0


@pytest.mark.parametrize(
    "code",
    [*map(function, FUNCTIONS), *map(loss, LOSSES), leaky(), *BINARY],
)
def test_a_derivative_is_that_of_sympy_in_the_same_form(code):
    """Not only equal: what the backward pass costs is read off the form. Twice, too."""
    for x in code.args:
        once = scalars.derivative(code.value, x)
        assert once == code.value.diff(x)
        assert [scalars.derivative(once, y) for y in code.args] == [once.diff(y) for y in code.args]


@pytest.mark.parametrize("sign", ["positive", "negative"])
def test_the_slope_of_relu_in_its_result_is_that_in_its_argument_on_both_pieces(sign):
    code, piece = function("relu"), Symbol("x", real=True, **{sign: True})
    in_argument = code.value.diff(X).subs(X, piece)
    in_result = code.slope_in_result.subs(RESULT, code.value.subs(X, piece))
    assert in_result - in_argument == 0
    assert in_argument == (1 if sign == "positive" else 0)


def test_relu_has_the_slope_0_at_0():
    code = function("relu")
    assert code.slope_in_result.subs(RESULT, code.value.subs(X, 0)) == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_lines_of_a_function_give_its_sympy_value(name):
    code = function(name)
    for x in domain(name):
        assert run((X,), code.value, [x]) == pytest.approx(float(code.value.subs(X, x)), rel=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_lines_of_a_slope_give_gradient_times_the_derivative(name):
    code = function(name)
    slope = code.slope(0)
    for x in domain(name):
        known = {X: x, RESULT: code.value.subs(X, x), GRADIENT: Rational(3, 2)}
        expected = Rational(3, 2) * code.value.diff(X).subs(X, x)
        value = run(slope.args, slope.value, [known[s] for s in slope.args])
        assert value == pytest.approx(float(expected), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("code", BINARY, ids=lambda code: code.name)
@pytest.mark.parametrize("position", [0, 1])
def test_the_slopes_of_two_argument_code_are_its_partial_derivatives(code, position):
    slope = code.slope(position)
    assert slope.value == GRADIENT * code.value.diff(code.args[position])
    assert set(slope.args) == {GRADIENT} | slope.value.free_symbols


@pytest.mark.parametrize(
    ("code", "position", "kept"),
    [
        (scalars.ADD, 0, set()),
        (scalars.MULTIPLY, 0, {Y}),
        (scalars.MULTIPLY, 1, {X}),
        (scalars.DIVIDE, 0, {Y}),
        (function("square"), 0, {X}),
        (function("gelu"), 0, {X}),
        (function("silu"), 0, {X}),
        *((function(name), 0, {RESULT}) for name in IN_RESULT),
    ],
)
def test_a_slope_mentions_only_what_must_be_kept(code, position, kept):
    assert set(code.slope(position).args) == {GRADIENT} | kept


c = Size("c")


@pytest.mark.parametrize(
    ("value", "price"),
    [
        (X, 1),  # a copy is a line: nothing else writes the result
        (Integer(0), 1),
        (X + Y, 1),
        (X - Y, 1),
        (Y - X, 1),
        (-X - Y, 2),
        (-X, 1),
        (X / 2, 1),
        (X / Y, 1),
        (1 / X, 1),
        (-1 / X, 1),
        (2 / X, 1),
        (X + 1, 1),
        (X - 1, 1),
        (X + c - 1, 1),  # every constant is folded, symbolic ones too
        (2 * X + 3, 2),
        (1 - X, 1),
        (-1 - X, 1),
        (c - X - Y, 2),
        (1 - X**2, 2),
        (X * Y * Z, 2),
        (X**2, 1),
        (X**-2, 1),
        (sqrt(X), 1),
        (1 / sqrt(X), 1),
        (X ** Rational(3, 2), 2),
        (X ** Rational(3, 4), 1),
        (X / sqrt(c), 1),
        (X * c**2 / 3, 1),
        (X**Y, 1),
        (exp(X), 1),
        (exp(-X), 2),
        (Mod(X, 2), 1),
        ((X + Y) ** 2 + X + Y, 4),  # X + Y stands twice but is one line; its square and two sums
        ((X + Y) * (X + Y + Z), 4),
        (sin(X) + cos(X), 3),
        (function("relu").value, 2),  # a comparison and a select
        (function("sigmoid").value, 4),  # negate, exponential, one more, reciprocal
        (function("silu").value, 4),
        (function("gelu").value, 5),  # divide by √2, erf, one more, multiply, halve
    ],
    ids=str,
)
def test_price_is_the_number_of_elementary_operations(value, price):
    assert len(scalars.Scalar(ARGS, value).lines) == price


@pytest.mark.parametrize(
    "value",
    [Integer(2) * 3 * X, X * sqrt(c) / c, X + c**2 - 4 * c, X * exp(c), X - exp(-c)],
    ids=str,
)
def test_constants_are_folded_into_one_operand(value):
    (line,) = scalars.Scalar((X,), value).lines
    assert line.args[0] == 0
    assert not line.args[1].has(X)


EXPRESSIONS = st.recursive(
    st.sampled_from([X, Y, Integer(1), Integer(-2), Rational(1, 3)]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] - p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        inner.map(lambda e: e / (2 + X**2)),
        inner.map(lambda e: Piecewise((e, X > Y), (-e, True))),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_straight_line_code_computes_what_sympy_computes(value):
    at = {X: Rational(5, 7), Y: Rational(3, 2)}
    expected = float(value.subs(at))
    assert run((X, Y), value, at.values()) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(EXPRESSIONS)
def test_lines_only_look_back(value):
    for number, line in enumerate(scalars.Scalar((X, Y), value).lines, start=2):
        assert all(arg < number for arg in line.args if isinstance(arg, int))


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Piecewise((X, And(X > 0, X < 1)), (0, True)), "And"),
        (Function("f")(X).diff(X), "derivative"),
        (X**pi, "the power pi"),
    ],
)
def test_what_is_no_elementary_operation_is_refused_by_name(value, named):
    with pytest.raises(DefinitionError, match=named):
        _ = scalars.Scalar((X,), value).lines


def test_a_function_of_which_only_the_name_is_known_is_refused_by_it():
    with pytest.raises(NotKnown, match="what f does is not known") as refused:
        _ = scalars.Scalar((X,), Function("f")(X)).lines
    assert refused.value.function == "f"


def test_a_constant_takes_the_place_of_the_second_argument():
    halved = scalars.DIVIDE.with_constant(Integer(2))
    assert (halved.args, halved.value) == ((X,), X / 2)
