"""NUMBER as people write it: what is meant, and what is refused."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symledger.errors import BadInput
from symledger.explain.number import UNITS, parse_number


@pytest.mark.parametrize(
    ("text", "unit", "low", "high"),
    [
        ("2362368", "parameters", 2362368, 2362368),
        ("2,362,368", "parameters", 2362368, 2362368),
        ("2_362_368", "parameters", 2362368, 2362368),
        ("2 362 368", "parameters", 2362368, 2362368),
        ("2\u202f362\u202f368", "parameters", 2362368, 2362368),
        ("131\u2009392", "parameters", 131392, 131392),
        ("131\u00a0392", "parameters", 131392, 131392),
        ("1\u202f024.5 MiB", "bytes", 1_074_213_684, 1_074_318_540),
        (" 1 ", "parameters", 1, 1),
        ("124M", "parameters", 123_500_000, 124_500_000),
        ("124.4M", "parameters", 124_350_000, 124_450_000),
        ("6.7B", "parameters", 6_650_000_000, 6_750_000_000),
        ("50K", "parameters", 49_500, 50_500),
        ("9.01 MiB", "bytes", 9_442_427, 9_452_912),
        ("9.01MB", "bytes", 9_005_000, 9_015_000),
        ("512 kB", "bytes", 511_500, 512_500),
        ("1e9", "parameters", 500_000_000, 1_500_000_000),
        ("1.24e8", "parameters", 123_500_000, 124_500_000),
        ("3.14E+2 GFLOP", "flop", 313_500_000_000, 314_500_000_000),
        ("71.3 MFLOP", "flop", 71_250_000, 71_350_000),
        ("1,751,715,840 bytes", "bytes", 1_751_715_840, 1_751_715_840),
        ("2 362 368 parámetros", "parameters", 2_362_368, 2_362_368),
        ("4096 params", "parameters", 4096, 4096), ("1byte", "bytes", 1, 1),
    ],
)
def test_a_number_is_read(text, unit, low, high):
    found = parse_number(text)
    assert (found.unit, found.low, found.high) == (unit, low, high)


def test_a_bare_b_is_a_billion_or_a_byte():
    assert parse_number("7B").about == 7 * 10**9
    assert parse_number("512 B", "bytes").about == 512
    assert parse_number("7B").read.startswith("B is read as billions")
    assert parse_number("7M").read == parse_number("512 B", "bytes").read == ""


@pytest.mark.parametrize(
    ("text", "unit", "low"),
    [
        ("1751715840B", "bytes", 1_751_715_840), ("1,751,715,840 B", "bytes", 1_751_715_840),
        ("16384B", "bytes", 16_384), ("10000B", "bytes", 10_000), ("1e9B", "bytes", 500_000_000),
        ("9999B", "parameters", 9_998_500_000_000), ("1800B", "parameters", 1_799_500_000_000),
        ("12345.6B", "parameters", 12_345_550_000_000),
    ],
)
def test_so_many_billions_are_bytes(text, unit, low):
    found = parse_number(text)
    assert (found.unit, found.low) == (unit, low)
    assert parse_number(text, "parameters").unit == "parameters"


def test_a_number_says_its_unit_or_does_not():
    stated = ["9.01MiB", "16384B", "71.3MFLOP", "3kB"]
    assert all(parse_number(text).stated for text in stated)
    assert not any(parse_number(text).stated for text in ["2362368", "124M", "6.7B", "1e9", "5T"])
    assert all(parse_number("124M", unit).stated for unit in UNITS)
    assert all(parse_number(f"124 {word}").stated for word in ("bytes", "params", "FLOP"))
    with pytest.raises(BadInput, match="no number of flop"):
        parse_number("124 bytes", "flop")


def test_what_a_unit_of_bytes_is_taken_for():
    assert parse_number("9.01MB").mistaken.text == "9.01 MiB"
    assert parse_number("9.01 MiB").mistaken.high == 9_015_000
    assert parse_number("9").mistaken is None


@pytest.mark.parametrize(
    "text",
    ["", " ", "0", "0M", "-1", "+1", "1.5", "1e", "e9", "1e-9", "1e999", "1.25e1", "1,00",
     "1,0000", "12,34", "1__0", "_1", "1_", "1.", ".5", "nan", "inf", "0x10", "1/2", "٣", "４", "½",
     "1 2", "1M2", "M", "1Q", "1 \n2", "9" * 61, "9" * 40, "d", "__import__('os')"],
)  # fmt: skip
def test_what_is_no_number_is_refused(text):
    with pytest.raises(BadInput, match=r"number|range|unit"):
        parse_number(text)


PIECES = ["1", "23", "456", ",", "_", ".", " ", "M", "K", "MiB", "MB", "B", "FLOP", "-", "e", "٣"]


@settings(max_examples=200)
@given(
    st.one_of(st.text(max_size=20), st.text(string.printable, max_size=12),
              st.lists(st.sampled_from(PIECES), max_size=6).map("".join)),
    st.sampled_from(["", *UNITS]),
)  # fmt: skip
def test_any_text_is_a_number_or_refused(text, unit):
    try:
        found = parse_number(text, unit)
    except BadInput as error:
        assert str(error)  # noqa: PT017  # it says why
    else:
        assert 0 < found.low <= found.high
        assert found.unit == (unit or found.unit)
