"""Sizes that others decide: what SymPy says of them."""

import pytest
from sympy import Integer

from symledger.algebra.s_expressions import read_expression
from symledger.explain.index.decided import decided
from symledger.explain.index.files import surveys
from symledger.explain.index.readings import QUANTITIES

SIZES = (1, 2, 3, 7, 14, 32, 224)


def definitions():
    found = surveys(QUANTITIES["parameters"]).values()
    outlines = (drawn for survey in found for drawn in survey.outlines)
    return sorted({text for drawn in outlines for _, text in drawn.frame.definitions})


def test_sizes_that_others_decide_are_those_of_sympy():
    assert len(definitions()) > 20
    for text in definitions():
        formula = read_expression(text)
        names = sorted(s.name for s in formula.free_symbols)
        for i in range(len(SIZES)):
            at = {name: SIZES[(i * (k + 2) + k) % len(SIZES)] for k, name in enumerate(names)}
            n = formula.xreplace({s: Integer(at[s.name]) for s in formula.free_symbols})
            assert decided(text, at) == (int(n) if n.is_Integer and n > 0 else None)
        assert decided(text, {}) is None


@pytest.mark.parametrize(
    ("text", "n"),
    [("(ceiling (* T (^ s -1)))", 3), ("(mod T s)", 1), ("(max T (* 2 s))", 7), ("(+ T -7)", None),
     ("(* 1/2 T)", None), ("(^ (+ s -3) -1)", None), ("(^ T 1/2)", None), ("5", 5)],
)  # fmt: skip
def test_what_is_no_size_is_none(text, n):
    assert decided(text, {"T": 7, "s": 3}) == n
