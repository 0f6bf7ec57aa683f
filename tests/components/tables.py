"""What a table of a component says: its counts, each a formula in the field's symbols."""

import inspect
from dataclasses import dataclass
from pathlib import Path

import pytest
from sympy import Expr, Integer, expand

from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved

ROOT = Path(__file__).parents[2]
ELEMENTS = dict.fromkeys(("value", "statistic", "mask", "index"), Integer(1))


@dataclass(frozen=True)
class Row:
    """One component and what it must come to; saved activations in elements."""

    params: Expr | int
    forward: Expr | int
    saved: Expr | int
    out: tuple


def assert_row(component, row, inputs=None):
    program = program_of(component, inputs)
    (output,) = program.outputs
    assert output.shape == row.out
    agree(component, "params", params(program).total, row.params)
    agree(component, "forward", contraction_flops(program).total, row.forward)
    agree(component, "saved", saved(pullback(program), ELEMENTS).total, row.saved)


def assert_counts(component, weights, flops):
    """Weights and FLOPs alone."""
    program = program_of(component)
    agree(component, "params", params(program).total, weights)
    agree(component, "forward", contraction_flops(program).total, flops)


def agree(component, count, derived, by_hand):
    """What is derived is what was counted, or both are said, and where each of them stands."""
    more = expand(derived - by_hand)
    if more != 0:
        file = Path(inspect.getfile(type(component))).relative_to(ROOT)
        pytest.fail(
            f"{count} of {component}: {expand(by_hand)} counted by hand here, {expand(derived)} "
            f"derived in {file}, which is {more} more. Count again: one of the two is wrong.",
            pytrace=False,
        )
