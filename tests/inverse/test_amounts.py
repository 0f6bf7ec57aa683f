"""Amounts: budgets with their unit, counts, FLOPs."""

import pytest

from symledger.errors import BadInput
from symledger.inverse.amounts import parse_amount


@pytest.mark.parametrize(("text", "unit", "amount"), [
    ("80GB", "bytes", 80 * 10**9), ("80 GB", "bytes", 80 * 10**9), ("24GiB", "bytes", 24 * 2**30),
    ("1.5TiB", "bytes", 3 * 2**39), ("512B", "bytes", 512), ("1,024 KiB", "bytes", 2**20),
    ("64kB", "bytes", 64_000), ("7e9", "parameters", 7 * 10**9), ("6.7B", "parameters", 67 * 10**8),
    ("7_000", "parameters", 7000), ("1e21", "FLOP", 10**21), ("3EFLOP", "FLOP", 3 * 10**18),
])  # fmt: skip
def test_an_amount_is_exact(text, unit, amount):
    assert parse_amount(text, unit) == amount


@pytest.mark.parametrize(("text", "unit", "said"), [
    ("80", "bytes", "has no unit: a budget is 80GB .* 80GiB"), ("80Gb", "bytes", "in bits"),
    ("80Gbit", "bytes", "in bits"), ("10kbits", "bytes", "in bits"), ("3b", "bytes", "in bits"),
    ("80XB", "bytes", "not one of bytes"), ("0GB", "bytes", "out of range"),
    ("-8GB", "bytes", "no amount"), ("1e99GB", "bytes", "out of range"),
    ("0.3B", "bytes", "no whole number"),
    ("7GB", "parameters", "as in 7e9"), ("1.5", "configurations", "whole number of configurations"),
    ("1e", "configurations", "as in 1e9"), ("", "FLOP", "no amount"),
    ("nan", "bytes", "no amount"), ("8GB" * 40, "bytes", "no amount"),
    ("٣GB", "bytes", "no amount"),
])  # fmt: skip
def test_what_is_none_is_refused_with_what_to_write(text, unit, said):
    with pytest.raises(BadInput, match=said):
        parse_amount(text, unit)
