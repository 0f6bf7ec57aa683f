"""Whatever is typed: an exact answer, or one clear message and a documented exit code."""

import json
import string
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symledger import derive
from symledger.catalogue.entries import ENTRIES
from symledger.errors import SymledgerError
from symledger.ledger.conventions import CAUSAL, DTYPES
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.ledger.quantities import QUANTITIES
from tests.invoke import REFUSAL, assert_refuses, run

LINEAR = ("B", "d_in", "d_out")
FUZZ = settings(max_examples=60)

# pieces that are meant to come close to what is read
PIECES = [
    *LINEAR, "d", "d_ff", "bias", "tied", "true", "T", "S", "N", "E", "I", "pi", "oo", "zoo",
    "0", "1", "4", "64", "1000000000000000001", "1e3", "1.5", "-1", "٣", "４", "½", "²",
    "=", "==", ":=", "+", "-", "*", "**", "/", "//", "%", "^", "(", ")", "[", "]", "{", "}",
    ",", ";", ":", ".", " ", "\n", "\t", "\0", "'", '"', "\\", "#", "_", "__", "∞", "\u202e",
    "lambda", "import", "os", "eval", "exec", "__import__", "open", "None", "True", "nan", "inf",
    ".py", "/", "..", "~", "$(", "`", "|", "&", ">", "*" * 40, "9" * 400, "(" * 200, "-" * 200,
]  # fmt: skip
text = st.one_of(
    st.text(max_size=40),
    st.text(string.printable, max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=9).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join),
)
near_targets = st.sampled_from([e.name for e in ENTRIES]).flatmap(
    lambda name: st.builds(
        lambda i, c: name[:i] + c + name[i:], st.integers(0, len(name)), st.text(max_size=2)
    )
)


def assert_answers_or_refuses(*arguments):
    """Assert an answer on stdout alone, or one message on stderr alone."""
    result = run(*arguments)
    assert result.code in (0, 2, 3), result
    if result.code == 0:
        assert result.out
        assert result.err == ""
    else:
        assert result.out == ""
        assert REFUSAL.match(result.err), result.err
        assert "Traceback" not in result.err
        assert len(result.err) < 20_000


@FUZZ
@given(st.one_of(text, near_targets))
@example("")
@example("-")
@example("--")
@example(":")
@example("/:X")
@example("\0.py:X")
@example("linear:Linear")
@example("symledger.components.maps.linear:Linear")
def test_any_target(target):
    assert_answers_or_refuses("derive", target)


@FUZZ
@given(st.lists(text, min_size=1, max_size=3))
def test_any_setting(settings_given):
    assert_answers_or_refuses("derive", "linear", *(f"--set={text}" for text in settings_given))


@FUZZ
@given(st.sampled_from([*LINEAR, "bias"]), text)
def test_any_value_of_a_known_name(name, value):
    assert_answers_or_refuses("derive", "linear", "--set", f"{name}={value}")


@FUZZ
@given(st.lists(text, min_size=1, max_size=3))
def test_any_assumption(equations):
    assert_answers_or_refuses("derive", "linear", *(f"--assume={text}" for text in equations))


sides = st.recursive(
    st.one_of(st.sampled_from([*LINEAR, "d"]), st.integers(0, 10**19).map(str)),
    lambda inner: st.one_of(
        st.builds("({}{}{})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("({}**{})".format, inner, st.integers(-1, 9)),
        st.builds("-{}".format, inner),
    ),
    max_leaves=12,
)


@FUZZ
@given(
    st.lists(st.builds("{} = {}".format, st.sampled_from(LINEAR), sides), min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(LINEAR), st.integers(1, 10**18), max_size=3),
)
@example(["d_in = d_out**8", "d_out = B**8"], {"B": 10**18})
@example(["d_in = (d_out + B)**8"], {"B": 10**18})
@example(["d_in = ((((2**8)**8)**8)**8)**8"], {})
@example(["d_in = 10**8*10**8*10**8*d_out"], {"d_out": 10**18})
@example(["d_in = ((((((B + d_out)**8)**8)**8)**8)**8)**8"], {})
def test_any_equation(equations, sizes):
    assert_answers_or_refuses(
        "derive", "linear", *(f"--assume={e}" for e in equations),
        *(f"--set={name}={n}" for name, n in sizes.items()),
    )  # fmt: skip


@FUZZ
@given(st.sampled_from(["--quantity", "--dtype", "--optimizer", "--causal", "--freeze",
                        "--format", "--depth"]), text)  # fmt: skip
def test_any_value_of_an_option(option, value):
    assert_answers_or_refuses("derive", "linear", f"{option}={value}")


WORDS = ["derive", "list", "linear", "--set", "--assume", "--quantity", "--json", "--format",
         "json", "latex", "--depth", "2", "--freeze", "W", "d_in=4", "d_in = 4", "params",
         "--no-input-gradient", "--help", "-h", "--version", "--"]  # fmt: skip


@FUZZ
@given(st.lists(st.one_of(st.sampled_from(WORDS), text), max_size=6))
def test_any_arguments(arguments):
    assert_answers_or_refuses(*arguments)


@FUZZ
@given(st.lists(st.one_of(st.sampled_from(WORDS), text), max_size=6))
def test_any_arguments_of_derive(arguments):
    assert_answers_or_refuses("derive", "linear", *arguments)


@FUZZ
@given(text, text)
def test_the_python_interface_refuses_in_the_same_way(name, value):
    try:
        account = derive("linear", {name: value}, [value])
    except SymledgerError as error:
        assert str(error)  # noqa: PT017  # it may be refused, but then it says why
    else:
        assert account.params.general


# ------------------------------------------------------------------------ what is no size at all

NO_SIZES = [
    "0", "-1", "-0", "+1", "00", "1.0", "0.5", "1.", ".5", "1e3", "1E3", "1/2", "nan", "NaN",
    "inf", "-inf", "infinity", "None", "True", "0x10", "0b1", "0o7", "1_", "_1", "1__0", "1,000",
    "1 00", "1;2", "٣", "४", "４", "²", "½", "Ⅳ", "一", "1\u0660", "1000000000000000001",
    "10" * 300, "9" * 4301, "", " ", "\t", "\0", "d", "2*d", "10**3", "int(4)", "\u202e4",
]  # fmt: skip


@pytest.mark.parametrize("value", NO_SIZES)
@pytest.mark.parametrize("name", ["d", "L", "d_h"])
def test_what_is_no_size_is_refused(name, value):
    assert_refuses("derive", "mini_gpt", "--set", f"{name}={value}", said="10\\^18")


@FUZZ
@given(st.one_of(
    st.integers(max_value=0), st.integers(min_value=10**18 + 1),
    st.floats(), st.fractions().filter(lambda q: q.denominator > 1), st.booleans(), st.none(),
    st.complex_numbers(), st.binary(max_size=4),
))  # fmt: skip
def test_no_other_value_is_a_size(value):
    assert_refuses("derive", "linear", "--set", f"d_in={value}", said="10\\^18")


@pytest.mark.parametrize(
    "digits", ["１２", "١٢", "१२", "𝟏𝟐", "1２"], ids=["full", "arab", "deva", "math", "mixed"]
)
def test_digits_of_other_scripts_are_refused(digits):
    assert_refuses("derive", "linear", "--set", f"d_in={digits}", said="is not a size")
    assert_refuses("derive", "linear", "--assume", f"d_in = {digits}")


# --------------------------------------------------------------------- what is answered is exact

sizes = st.integers(1, 10**18)
ANSWERED = [name for name in QUANTITIES if name != "flops.decode"]
"""What a layer can be asked; it decodes nothing."""


def evaluate(expression, at):
    """A promised expression at whole numbers, by Python's own arithmetic."""
    return eval(expression, {"__builtins__": {}}, dict(at))  # noqa: S307  # our own text


@FUZZ
@given(
    st.fixed_dictionaries(dict.fromkeys(LINEAR, sizes)), st.sampled_from(ANSWERED),
    st.booleans(), st.sampled_from(list(DTYPES)), st.sampled_from(list(OPTIMIZERS)),
    st.sampled_from(list(CAUSAL)),
)  # fmt: skip
def test_a_valid_question_is_answered_exactly(at, quantity, bias, dtype, optimizer, causal):
    given_sizes = [f"--set={name}={n}" for name, n in at.items()]
    result = run(
        "derive", "linear", *given_sizes, f"--set=bias={str(bias).lower()}", "--json",
        f"--quantity={quantity}", f"--dtype={dtype}", f"--optimizer={optimizer}",
        f"--causal={causal}",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    formula = json.loads(result.out)["formulas"][quantity]
    fractions = {name: Fraction(n) for name, n in at.items()}
    assert Fraction(formula["value"]) == evaluate(formula["expr"], fractions)
    if quantity == "params":
        assert int(formula["value"]) == at["d_in"] * at["d_out"] + bias * at["d_out"]


@FUZZ
@given(st.integers(1, 10**6), st.integers(1, 64), st.integers(1, 10**6), st.integers(1, 10**9))
def test_sizes_of_a_model_divide_or_are_refused(d, h, L, V):
    arguments = [f"--set={name}={n}" for name, n in {"d": d, "h": h, "L": L, "V": V}.items()]
    if d % (2 * h):
        assert_refuses("derive", "mini_gpt", *arguments, said="is not a positive whole number")
    else:
        result = run("derive", "mini_gpt", *arguments, "--json", "--quantity=params")
        value = int(json.loads(result.out)["formulas"]["params"]["value"])
        assert value == 12 * L * d**2 + 2 * L * d + V * d + d


def test_a_rounded_size_that_is_nothing_whatever_else_is_unknown():
    """⌊H/P⌋ ⌊W/P⌋ is 0 without H."""
    assert_refuses("derive", "dit", "--set", "W=1", "--set", "P=24", said="not a positive whole")


@pytest.mark.parametrize("option", [
    "--recompute", "--recipe", "--lora", "--step", "--weights", "--cache", "--gradients",
])  # fmt: skip
def test_an_option_that_is_given_nothing_is_refused(option):
    for text in ("", " "):
        assert_refuses("derive", "gpt2", option, text, said=f"{option} is given nothing")


def test_digits_of_a_plan_are_those_of_ascii():
    assert_refuses("derive", "gpt2", "--recompute", "block:２", said="no plan")
