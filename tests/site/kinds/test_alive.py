"""What is alive over a step of training, drawn: the same numbers as the peaks, at every depth."""

import pytest

from symledger import derive
from symledger.site.kinds.model.alive import COLUMNS, ROWS, eager, live, moments


@pytest.mark.parametrize(
    ("target", "sizes"),
    [("gpt2", {}), ("mini_gpt-small", {}), *(("gpt2", {"L": n}) for n in range(1, 7)),
     ("llama-3-8b", {"T": 128}), ("bert-base", {"L": 5, "T": 64})],
)  # fmt: skip
def test_the_largest_of_each_pass_is_its_peak(target, sizes):
    account = derive(target, {"B": 1, **sizes})
    found = moments(account)
    for way in ("forward", "backward", "step"):
        largest = max(m.total for m in found if m.way == way)
        assert largest == account[f"memory.peak.{way}"].value
    assert live(account).most == account["memory.peak.train"].value


def test_weights_gradients_and_states_are_those_of_the_model():
    account = derive("gpt2", {"B": 1})
    step = moments(account)[-1].amounts
    n = 124_439_808
    assert (step["parameters"], step["gradients"], step["optimizer"]) == (4 * n, 4 * n, 8 * n)


def test_the_drawing_is_small_and_its_data_are_beside_it():
    found = live(derive("llama-3-8b", {"B": 1, "T": 128}))
    figure = found.figure
    assert len(figure.svg) < 12_000
    assert "<script" not in figure.svg
    assert len(figure.shown) <= ROWS + 2 < len(figure.rows) <= COLUMNS + 2
    assert max(int(row[-1]) for row in figure.rows) == found.most
    assert all(int(row[-1]) == sum(map(int, row[2:-1])) for row in figure.rows)


def test_nothing_is_drawn_where_a_size_is_open():
    assert live(derive("linear")) is None


def test_the_reference_stands_beside_it_where_it_was_observed():
    def say(key, **said):
        return key, *said.values()

    program, other = (derive("gpt2", schedule=s)["memory.peak.train"].value
                      for s in ("program", "eager"))  # fmt: skip
    assert eager(derive("gpt2"), say) == (
        "alive.eager_more", "GPT2LMHeadModel of transformers 5.23.0", f"{other:,}",
        f"{other - program:,}",
    )  # fmt: skip
    assert eager(derive("mini_gpt"), say) == ("alive.not_eager",)
