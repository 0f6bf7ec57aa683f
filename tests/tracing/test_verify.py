"""A saved trace is compared again: at sizes by name, at lists of them, at a configuration."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch")

from symledger.errors import BadInput, CheckFailed  # noqa: E402  # after torch is known to be there
from symledger.tracing.account import traced  # noqa: E402
from symledger.tracing.checking.verify import verified_at  # noqa: E402

STAGES = """\
from torch import nn


class Net(nn.Module):
    def __init__(self, d: int = 8, depths=(2, 3), bias: bool = True, times: int = 4):
        super().__init__()
        self.stages = nn.ModuleList(
            nn.ModuleList(nn.Linear(d, d, bias) for _ in range(n)) for n in depths
        )
        self.shared, self.times = nn.Linear(d, d), times

    def forward(self, x):
        for stage in self.stages:
            for layer in stage:
                x = x + layer(x).relu()
        for _ in range(self.times):
            x = self.shared(x).tanh()
        return x
"""


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    path = tmp_path_factory.mktemp("stages") / "net.py"
    path.write_text(STAGES)
    return traced(f"{path}:Net", {})


def test_lists_are_set_whole(stages):
    made = verified_at(stages, {"depths": "[5, 2]", "T": "3"})
    by_name = {stages.names[s]: n for s, n in made.points[-1].items()}
    assert (by_name["depths.0"], by_name["depths.1"], by_name["T"]) == (5, 2, 3)


def test_a_part_of_a_list_is_set_where_another_one_is_fixed(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(
        "from torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self, d: int = 8, mult=(1, 3)):\n"
        "        super().__init__()\n"
        "        self.l, self.one = nn.Linear(d, d * mult[1]), mult[0] == 1\n\n"
        "    def forward(self, x):\n"
        "        return self.l(x).relu() if self.one else self.l(x)\n"
    )
    made = verified_at(traced(f"{path}:Net", {}), {"mult.1": "7"})
    assert made.points[-1]["mult_1"] == 7


@pytest.mark.parametrize("times", [1, 2, 9])
def test_few_rounds_of_a_loop_and_many_are_compared_as_they_run(stages, times):
    made = verified_at(stages, {"times": str(times)})
    assert len(made.points) == len(stages.points) + 1


def test_a_list_is_as_long_as_what_was_traced(stages):
    with pytest.raises(BadInput, match="depths is a list of 2 numbers in this trace, not of 3"):
        verified_at(stages, {"depths": "[1, 2, 3]"})


def test_a_configuration_says_sizes_and_may_not_change_what_is_fixed(stages):
    made = verified_at(stages, {"B": "1"}, {"depths": [1, 4], "d": 12, "bias": True, "other": "x"})
    assert {12, 4} <= set(made.points[-1].values())
    with pytest.raises(BadInput, match="has bias = False, and this trace was made with True"):
        verified_at(stages, {}, {"bias": False})


def test_a_module_that_changed_is_found(stages):
    path = stages.source
    with open(path, "w") as file:
        file.write(STAGES.replace("relu", "exp"))
    try:
        with pytest.raises(CheckFailed, match="does something else than this trace"):
            verified_at(stages, {})
    finally:
        with open(path, "w") as file:
            file.write(STAGES)
