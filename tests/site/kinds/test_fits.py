"""What pages say of devices: the largest that fits, and no larger, by what is derived there."""

import pytest

from symledger import derive
from symledger.errors import SymledgerError
from symledger.site.kinds.model import fits
from tests.site.whole import ATLAS

SHOWN = ("mini_gpt", "gpt2", "llama-3-8b", "mixtral-8x7b", "mamba-130m")


def needed(name, use, **sizes):
    """Derive what is needed anew; None where the model cannot be of these sizes."""
    words = use.command.split()
    asked = dict(zip(words[3::2], words[4::2], strict=True))
    said = {option: asked[f"--{option}"] for option in ("recipe", "lora", "weights")
            if f"--{option}" in asked}  # fmt: skip
    try:
        return derive(name, set=sizes, **said)[asked["--quantity"]].value
    except SymledgerError:
        return None


@pytest.mark.parametrize("name", SHOWN)
def test_a_device_holds_what_its_cell_says_and_no_more(name):
    shown = list(fits.uses(ATLAS, ATLAS.account(name)))
    assert sum("--lora" in use.recipe for use in shown) == (name in ("mini_gpt", "gpt2"))
    assert sum("mixed" in use.recipe for use in shown) >= 1
    for use in shown:
        one = needed(name, use, B=1)
        assert use.one == f"{one:,}"
        for gigabytes, cell in zip(fits.BUDGETS, use.fits, strict=True):
            budget = gigabytes * 10**9
            other = {"B": 1, cell.size: cell.n + 1}
            beyond = needed(name, use, **other)
            assert beyond is None or beyond > budget, (use.label, gigabytes, str(cell))
            if cell.n:
                there = needed(name, use, **{"B": 1, cell.size: cell.n})
                assert there <= budget, (use.label, gigabytes, str(cell))
            else:
                assert one > budget


@pytest.mark.parametrize("name", ["resnet18", "bert-base"])
def test_of_a_model_that_does_not_decode_nothing_is_said(name):
    assert list(fits.uses(ATLAS, ATLAS.account(name))) == []


def test_configurations_of_a_family_share_what_is_read_of_them():
    for name in ("llama-7b", "llama-3-8b"):
        (use, *_) = fits.uses(ATLAS, ATLAS.account(name))
        assert use.one == f"{needed(name, use, B=1):,}"
