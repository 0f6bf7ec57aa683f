import numpy as np
import pytest

from symledger.checks.exact import value
from symledger.checks.mutants.rewriting import again
from symledger.checks.runner import BYTES, PRICES
from symledger.checks.sampling import sizes_for
from symledger.checks.saved_set import bytes_held
from symledger.checks.storage import unfit
from symledger.checks.trial import Trial, every
from symledger.readings.saved import kept, root, saved
from tests.every import CATALOGUE, account

REAL, COUNTED, BITS = np.array([0.5, 2.0]), np.array([3, 4]), np.array([0.0, 1.0])


def named(name, kind):
    """Return a tensor that a target keeps, of a storage class."""
    return next(t for t in kept(account(name).readings.back).roots if t.storage == kind)


@pytest.mark.parametrize(
    ("name", "kind", "held", "never"),
    [
        ("dropout", "mask", BITS, REAL), ("token_embedding", "index", COUNTED, REAL),
        ("layer_norm", "statistic", REAL, COUNTED), ("linear", "value", REAL, COUNTED),
    ],
)  # fmt: skip
def test_a_storage_class_holds_some_numbers_and_no_others(name, kind, held, never):
    t = named(name, kind)
    assert unfit(t, held) == ""
    assert kind in unfit(t, never)


@pytest.mark.parametrize("name", ["linear", "softmax", "feed_forward"])
def test_what_has_an_entry_for_each_element_is_no_statistic(name):
    t = named(name, "value")
    wrong = again(t, t.args, storage="statistic")
    assert "one number for many" in unfit(wrong, REAL)


@pytest.mark.parametrize("owner", CATALOGUE)
def test_all_that_a_target_keeps_fits_its_class_and_takes_the_bytes_of_its_formula(owner):
    program, back = account(owner).program, account(owner).readings.back
    trial, k = Trial(program, back, sizes_for(program)), kept(back)
    roots = set(k.roots) | {root(t) for t in program.outputs}
    found = [(t, a) for v in every(trial.values) for t, a in v.arrays.items() if t in roots]
    assert found
    assert [line for t, a in found if (line := unfit(t, a))] == []
    assert bytes_held(trial, k, BYTES) == value(saved(back, PRICES).total, trial.sizes)
