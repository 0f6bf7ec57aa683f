"""What is read from text, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

from symledger.algebra.parsing import LARGEST, parse_equation, parse_expression, parse_size
from symledger.errors import BadInput, quoted
from symledger.sizes import L, S, T, V, d, d_ff, d_h, d_k, d_v, h, h_kv

SYMBOLS = {s.name: s for s in (d, h, h_kv, d_h, d_k, d_v, d_ff, L, V, T, S)}


# ------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4*d", 4 * d),
        ("8*d/3", 8 * d / 3),
        ("  d  ", d),
        ("-d + 2*(h - 1)", 2 * h - 2 - d),
        ("d**2/h", d**2 / h),
        ("2**8", Integer(256)),
        ("d**0", Integer(1)),
        ("1_000", Integer(1000)),
        (str(LARGEST), Integer(LARGEST)),
    ],
)
def test_an_expression_is_read(text, expected):
    assert parse_expression(text, SYMBOLS) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot be read"),
        ("4*", "cannot be read"),
        ("4 d", "cannot be read"),
        ("d = 4", "cannot be read"),
        ("d; h", "cannot be read"),
        ("(" * 300 + "d" + ")" * 100, "cannot be read"),
        ("d\x00", "cannot be read"),
        ("४*d", "cannot be read"),
        ("9" * 5000, "5000 characters is too long"),
        ("1.5*d", "may hold whole numbers"),
        ("1e3", "may hold whole numbers"),
        ("True", "may hold whole numbers"),
        ("'d'", "may hold whole numbers"),
        ("d // 2", "may hold whole numbers"),
        ("d % 2", "may hold whole numbers"),
        ("+d", "may hold whole numbers"),
        ("~d", "may hold whole numbers"),
        ("d if h else V", "may hold whole numbers"),
        ("d and h", "may hold whole numbers"),
        ("d < h", "may hold whole numbers"),
        ("sqrt(d)", "may hold whole numbers"),
        ("d.real", "may hold whole numbers"),
        ("d[0]", "may hold whole numbers"),
        ("[d]", "may hold whole numbers"),
        ("(d, h)", "may hold whole numbers"),
        ("lambda: d", "may hold whole numbers"),
        ("(d := h)", "may hold whole numbers"),
        ("f'{d}'", "may hold whole numbers"),
        ("[x for x in d]", "may hold whole numbers"),
        ("__import__('os').system('true')", "may hold whole numbers"),
        ("d**h", "may hold whole numbers"),
        ("d**-1", "may hold whole numbers"),
        ("d**9", "powers are 0 to 8"),
        ("d**1000000000", "powers are 0 to 8"),
        ("d/0", "divides by zero"),
        ("d/(h - h)", "divides by zero"),
        ("x*d", "names x, which is not a symbol here"),
        ("d_f", "Did you mean d_ff"),
        ("__builtins__", "not a symbol here"),
        (str(LARGEST + 1), "too large"),
        ("10**8*10**8*10**8", "too large"),
        ("((2**8)**8)**8", "too large"),
        ("1/(10**8*10**8*10**8)", "too large"),
    ],
)
def test_anything_else_is_refused(text, said):
    with pytest.raises(BadInput, match=said):
        parse_expression(text, SYMBOLS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("d_ff", "is not an assumption"),
        ("d_ff =", "is not an assumption"),
        ("d_ff == 4*d", "is not an assumption"),
        ("= 4*d", "names nothing"),
        ("4*d = d_ff", "is not a symbol here"),
        ("d_f = 4*d", "Did you mean d_ff"),
        ("d_ff = 4*d = 8*h", "cannot be read"),
        ("d_ff = 0", "zero or negative"),
        ("d_ff = d - d", "zero or negative"),
        ("d_ff = -d", "zero or negative"),
        ("d_ff = 1/(d + h)", "cannot be divided by a sum"),
        ("d_ff = (d + h)**8", "9 terms"),
        ("d_ff = ((d**8)**8)**8", "the power 512 is too high"),
        ("d_ff = (d**8)**8", "out of proportion"),
        ("d_ff = 1000000000000000000*d*(10*h)", "out of proportion"),
        ("d_ff = ((d + h + V + L)**8)**8", "far too many terms"),
    ],
)
def test_an_equation_that_says_no_size_is_refused(text, said):
    with pytest.raises(BadInput, match=said):
        parse_equation(text, SYMBOLS)


def test_an_equation_is_a_symbol_and_what_it_equals():
    assert parse_equation(" d_ff = 8*d/3 ", SYMBOLS) == (d_ff, 8 * d / 3)


def test_what_is_quoted_is_one_short_line():
    assert quoted("a\n b\tc") == '"a b c"'
    assert len(quoted("x" * 500)) == 82


@given(st.text(max_size=60))
def test_no_text_is_read_in_any_other_way(text):
    try:
        e = parse_expression(text, SYMBOLS)
    except BadInput as error:
        assert str(error)  # noqa: PT017  # either it is refused, saying why, …
    else:
        assert e.free_symbols <= set(SYMBOLS.values())  # … or it is made of symbols and numbers


# -------------------------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("text", "n"),
    [("1", 1), (" 64 ", 64), ("007", 7), ("50_257", 50257), ("1" + "0" * 18, LARGEST),
     ("50 257", 50257), ("1\u202f000\u202f000", 10**6), ("50\u2009257", 50257),
     ("1\u00a0024", 1024)],
)
def test_a_size_is_read(text, n):
    assert parse_size("d", text) == n


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"d = nothing is not a size"),
        ("0", "out of range"),
        ("000", "out of range"),
        (str(LARGEST + 1), "out of range"),
        ("9" * 5000, "out of range"),
        *((text, "not a size") for text in (
            "-1", "+1", "1.0", "1e3", "1/2", "nan", "inf", "True", "0x10", "1 00", "1,000",
            "1 0000", "12 34", "1.000", "1 000,5", "1 000\u202f000",
            "_1", "1_", "1__0", "٣", "４", "²", "Ⅷ", "d", "4*d", "__import__('os')",
        )),
    ],
)  # fmt: skip
def test_anything_else_is_no_size(text, said):
    with pytest.raises(BadInput, match=said):
        parse_size("d", text)


@given(st.integers())
def test_sizes_are_1_to_10_to_the_18(n):
    if 1 <= n <= LARGEST:
        assert parse_size("d", str(n)) == n
    else:
        with pytest.raises(BadInput, match="10\\^18"):
            parse_size("d", str(n))
