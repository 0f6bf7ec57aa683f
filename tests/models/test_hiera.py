"""Hiera: what four stages of units learn and do, counted by hand."""

import pytest

from symledger import derive
from symledger.errors import BadInput
from symledger.models.hiera.model import NUMBERS, STAGES, Hiera
from symledger.sizes import B, C_i, C_in, H_w, K, L_i, W_w, Y, f_i
from tests.components.tables import assert_counts

UNITS = H_w * W_w


def block(before, after, inside, shortcut):
    """Weights of a block, whose vectors may be widened."""
    attention = 3 * (before + 1) * after + after**2 + after
    return 2 * before + attention + 3 * after + 2 * after * inside + inside + shortcut


def work(before, after, inside, entering, leaving, seen, shortcut):
    """FLOPs of a block: so many vectors enter and leave, each sees so many."""
    maps = 3 * before * after * entering + leaving * (after**2 + 2 * after * inside)
    return 2 * (maps + 2 * leaving * seen * after + shortcut * entering)


@pytest.mark.parametrize("head", [True, False])
@pytest.mark.parametrize("units", NUMBERS)
def test_four_stages_of_units_are_counted_by_hand(units, head):
    inside = NUMBERS[units]
    weights = C_in * K**2 * C_i[0] + C_i[0] + 64 * UNITS * C_i[0]
    flops = 128 * UNITS * C_in * K**2 * C_i[0]
    for at in STAGES:
        d, f, number, left = C_i[at], f_i[at], 64 // 4**at, L_i[at]
        if at:
            before, many = C_i[at - 1], 4 * number
            weights += block(before, d, f, (before + 1) * d)
            seen = many if at <= inside else many * UNITS
            flops += work(before, d, f, many * UNITS, number * UNITS, seen, before * d)
            left -= 1
        weights += left * block(d, d, f, 0)
        seen = number if at < inside else number * UNITS
        flops += left * work(d, d, f, number * UNITS, number * UNITS, seen, 0)
    weights += 2 * C_i[3] + ((C_i[3] + 1) * Y if head else 0)
    flops += 2 * C_i[3] * Y if head else 0
    assert_counts(Hiera(units=units, head=head), weights, B * flops)


@pytest.mark.parametrize("sides", [{"H": 230}, {"W": 48}], ids=str)
def test_images_that_are_no_whole_units_are_refused(sides):
    with pytest.raises(BadInput, match=r"_w = ./\(8\*P\) = .* is not a positive whole number"):
        derive("hiera", {"P": 4, **sides})
