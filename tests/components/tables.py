"""What a table of a component says: its counts, each a formula in the field's symbols."""

from dataclasses import dataclass

from sympy import Expr, Integer, expand

from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved

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
    assert expand(params(program).total - row.params) == 0
    assert expand(contraction_flops(program).total - row.forward) == 0
    assert expand(saved(pullback(program), ELEMENTS).total - row.saved) == 0


def assert_counts(component, weights, flops):
    """Weights and FLOPs alone."""
    program = program_of(component)
    assert expand(params(program).total - weights) == 0
    assert expand(contraction_flops(program).total - flops) == 0
