from collections import Counter

import pytest

from symledger.checks.runner import examine
from symledger.notation.calling import program_of
from tests.checks.bench import (
    RIGHT,
    Exponential,
    Forgetful,
    Handed,
    Lying,
    PlainSoftmax,
    Recurrence,
    Unmasked,
    WrongPairs,
)  # fmt: skip


@pytest.mark.parametrize("component", [*RIGHT.values(), PlainSoftmax(), Recurrence(), Handed()])
def test_everything_passes_on_what_is_right(component):
    for found in examine(program_of(component)):
        assert found.passed, (found.quantity, found.detail)


def test_every_quantity_is_supported():
    program = program_of(RIGHT["mini_gpt"])
    quantities = Counter(found.quantity for found in examine(program, quick=True))
    expected = {
        "shapes": 1, "params": 1, "memory.kv_cache": 1, "memory.saved": 1, "gradients": 1,
        "flops.forward": 3, "flops.backward": 2,
        "flops.forward.pointwise": 1, "flops.backward.pointwise": 1,
    }  # fmt: skip
    assert expected.items() <= quantities.items()


def test_examining_twice_gives_the_same():
    assert list(examine(program_of(RIGHT["flash"]))) == list(examine(program_of(RIGHT["flash"])))


@pytest.mark.parametrize(
    ("wrong", "kinds"),
    [
        (Exponential(), {"finite differences", "complex step"}),
        (Forgetful(), {"finite differences", "complex step"}),
        (WrongPairs(), {"pairs", "counted operations"}),
        (Unmasked(), {"counted operations"}),
        (Lying(), {"substitution"}),
    ],
)
def test_what_is_wrong_fails_where_it_should(wrong, kinds):
    failed = {found.kind for found in examine(program_of(wrong)) if not found.passed}
    assert failed == kinds
