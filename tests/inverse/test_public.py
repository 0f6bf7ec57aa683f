"""Questions asked backwards from Python answer as commands do."""

import pytest

import symledger
from symledger.errors import BadInput


def test_solve_takes_what_derive_takes():
    found = symledger.solve("gpt2", "B", budget="24GB", recompute="attention.core")
    assert (found.inside.size, found.inside.value) == (36, 23_968_468_992)


def test_fit_says_what_is_needed():
    found = symledger.fit("gpt2", "24GB", set={"B": 8})
    assert found.fits
    assert found.value == symledger.derive("gpt2", {"B": 8})["memory.peak.train"].value


def test_sweep_takes_ranges_and_lists():
    found = symledger.sweep("gpt2", {"d": "768:1536:256", "L": [6, 12]}, where="params <= 2e8",
                            minimize="params")  # fmt: skip
    assert (found.points, found.within) == (8, 2)
    assert found.rows[0][:2] == (768, 6)
    with pytest.raises(BadInput, match="nothing is swept"):
        symledger.sweep("gpt2", {"d": 768})


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, "say one amount"),
        ({"budget": "24GB", "flops": "1e9"}, "say one amount"),
        ({"budget": "24GB", "set": {"B": 2}}, "B is asked for, and cannot be set as well"),
        ({"params": "7e9", "quantity": "memory.training"}, "params is an amount of parameters"),
    ],
)
def test_what_cannot_be_asked_is_refused(said, reason):
    with pytest.raises(BadInput, match=reason):
        symledger.solve("gpt2", "B", **said)
