from functools import partial
from itertools import permutations

import numpy as np
import pytest
from sympy import Integer

from symledger import sizes
from symledger.checks import counted
from symledger.checks.counting import (
    OPERANDS,
    UNKNOWN,
    UNKNOWNS,
    CountingMachine,
    count,
    noticed,
    unknown,
    work,
)
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.numpy.arithmetic import FUNCTIONS
from symledger.readings.pullback import pullback
from tests.checks.bench import RIGHT, PlainSoftmax, Recurrence, Unmasked, WrongPairs, trials

QUANTITIES = [
    *("flops.forward", "flops.backward", "flops.forward.pointwise", "flops.backward.pointwise"),
]


def formulas(run, causal="full"):
    return {
        "flops.forward": contraction_flops(run.program, causal).total,
        "flops.backward": contraction_flops(run.pull, causal).total,
        "flops.forward.pointwise": pointwise_flops(run.program).total,
        "flops.backward.pointwise": pointwise_flops(run.pull).total,
    }


@pytest.mark.parametrize("component", [*RIGHT.values(), PlainSoftmax(), Recurrence()])
def test_counted_operations_are_as_many_as_priced(component):
    runs = trials(component, 3)
    priced, exact = formulas(runs[0]), formulas(runs[0], "exact")
    contractions = {name: exact[name] for name in ("flops.forward", "flops.backward")}
    for skip, wanted in ((False, priced), (True, contractions)):
        for found in counted.forward_and_backward(runs, wanted, skip):
            assert found.passed, (found.quantity, found.detail)
            assert found.worst == "0"


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_one_operation_too_many_is_found(quantity):
    runs = trials(RIGHT["mini_gpt"])
    (found,) = counted.forward_and_backward(runs, {quantity: formulas(runs[0])[quantity] + 1})
    assert not found.passed
    assert found.worst == "1.0e+00"


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_symbols_taken_for_one_another_are_found(quantity):
    runs = trials(RIGHT["mini_gpt"], 3)
    formula = formulas(runs[0])[quantity]
    counts = [count(run) for run in runs]
    pick = counted.picked(quantity)
    assert counted.operations(runs, counts, formula, quantity, pick, "").passed
    for a, b in permutations(formula.free_symbols, 2):
        wrong = formula.xreplace({a: b})
        assert not counted.operations(runs, counts, wrong, quantity, pick, "").passed, (a, b)


def test_full_and_exact_conventions_are_told_apart():
    runs = trials(RIGHT["attention"], 2)
    full = {"flops.forward": formulas(runs[0])["flops.forward"]}
    (found,) = counted.forward_and_backward(runs, full, skip_masked=True)
    assert not found.passed
    assert "skips masked pairs" in found.sentence


def test_skipping_pairs_that_matter_is_found():
    runs = trials(Unmasked(), 2)
    exact = {"flops.forward": formulas(runs[0], "exact")["flops.forward"]}
    (found,) = counted.forward_and_backward(runs, exact, skip_masked=True)
    assert found.worst == "0"
    assert not found.passed
    assert "from the run on floats" in found.detail


@pytest.mark.parametrize("name", ["attention", "flash", "mini_gpt"])
def test_stated_pairs_are_true(name):
    program = program_of(RIGHT[name])
    found = counted.pairs(program, pullback(program))
    assert found.passed
    assert len(found.points) > 5


def test_wrong_pairs_are_found():
    program = program_of(WrongPairs())
    assert not counted.pairs(program).passed
    assert not counted.pairs(program, pullback(program)).passed
    runs = trials(WrongPairs(), 2)
    exact = {"flops.forward": formulas(runs[0], "exact")["flops.forward"]}
    assert not next(counted.forward_and_backward(runs, exact, skip_masked=True)).passed


def test_nothing_masked_gives_no_evidence_of_pairs():
    assert counted.pairs(program_of(RIGHT["linear"])) is None


@pytest.mark.parametrize("name", OPERANDS)
def test_every_line_counts_one_for_each_number(name):
    x, places = unknown(np.zeros((2, 3))), np.arange(3)
    for args in ([x, x, x], [x, 2.0, places], [places, x, 0.5], [places, places, places]):
        line = partial(UNKNOWNS.functions[name], *args[: OPERANDS[name]])
        assert noticed(line) == np.broadcast(*args[: OPERANDS[name]]).size, args


def test_a_copy_moves_a_value_and_computes_nothing():
    assert {*OPERANDS, "copy"} == set(FUNCTIONS)
    assert noticed(lambda: UNKNOWNS.functions["copy"](unknown(np.zeros(3)))) == 0


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x, y: np.einsum("ij,jk->ik", x, y), 2 * 2 * 3 * 4),
        (lambda x, y: np.einsum("ij,ik->ijk", x, x), 2 * 2 * 3 * 3),
        (lambda x, y: np.maximum.reduce(x, axis=-1), 2 * 2),
        (lambda x, y: np.argmax(x, axis=-1), 2 * 2),
        (lambda x, y: np.add.reduce(x, axis=(0, 1), initial=UNKNOWN), 6),
        (lambda x, y: np.add.at(y, [0, 1], y[:2]), 2 * 4),
        (lambda x, y: x + x, 6),
        (lambda x, y: x - 2 * x, 12),
        (lambda x, y: np.concatenate([x, x]).reshape(-1)[2:], 0),
    ],
)
def test_the_operators_that_numpy_uses_count_one(compute, expected):
    x, y = unknown(np.zeros((2, 3))), unknown(np.zeros((3, 4)))
    assert noticed(lambda: compute(x, y)) == expected


def test_what_has_no_operator_is_refused_and_not_left_uncounted():
    for compute in (np.divide, np.power, np.sqrt, np.exp):
        with pytest.raises(TypeError):
            compute(*[unknown(np.zeros(2))] * compute.nin)


def test_the_meter_starts_again_and_keeps_kinds_apart():
    run = trials(RIGHT["linear"])[0]
    machine = CountingMachine(run.sizes)
    machine.run(run.program, run.leaves)
    first = machine.take()
    machine.run(run.program, run.leaves)
    assert machine.take() == first
    assert machine.take() == {"contraction": 0, "pointwise": 0, "place": 0}
    assert first["pointwise"] == run.values[run.program.outputs[0]].size


def test_the_place_of_a_maximum_is_not_priced_but_seen():
    run = trials(PlainSoftmax())[0]
    found = count(run)
    rows = run.leaves[run.program.inputs[0]][..., 0].size
    assert found.backward["place"] == rows * (
        run.sizes[next(iter(run.program.inputs[0].shape[-1:]))] - 1
    )
    assert found.forward["place"] == 0


def test_a_wrong_formula_of_zero_is_found():
    runs = trials(RIGHT["layer_norm"])
    (found,) = counted.forward_and_backward(runs, {"flops.forward": Integer(0)})
    assert found.passed
    (found,) = counted.forward_and_backward(runs, {"flops.forward": sizes.B * 0 + 2})
    assert not found.passed


@pytest.mark.parametrize(
    ("pattern", "shapes", "done"),
    [
        ("ab,bc->ac", ((2, 3), (3, 5)), 2 * 2 * 3 * 5),
        ("abc,ac->ab", ((2, 3, 4), (2, 4)), 2 * 2 * 3 * 4),
        ("a,b->ab", ((3,), (4,)), 2 * 3 * 4),
        ("ab,bc->ac", ((2, 0), (0, 5)), 0),
    ],
)
def test_a_sum_of_products_counts_two_for_each_product_and_always_the_same(pattern, shapes, done):
    assert [work(pattern, *shapes) for _ in range(2)] == [done, done]
