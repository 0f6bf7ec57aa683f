"""The page that answers how many parameters a layer has, and where such a layer occurs."""

import pytest

from symledger import algebra, derive
from symledger.accounts.reuse import places_in_models, published_places, same_parameters, sizes_at
from symledger.report.answer import page
from symledger.report.figures import at_sizes, factored


def answer(written, width=100, **conventions):
    return page(derive(written, **conventions), (), 2, width).text()


def squeezed(text):
    return [" ".join(line.split()) for line in text.splitlines()]


LINEAR = """\
Linear(768, 3072) has 2,362,368 parameters
torch.nn.Linear is linear: affine map of the last axis
in_features = d_in = 768 out_features = d_out = 3,072
params = d_in·d_out + d_out
= 768·3072 + 3072
= 2,362,368 parameters
W d_in·d_out 2,359,296 99.9 %
weights, fp32 9,449,472 B ≈ 9.012 MiB ≈ 9.449 MB
weights, bf16 4,724,736 B ≈ 4.506 MiB ≈ 4.725 MB
with gradients and adam, fp32 37,797,888 B ≈ 36.05 MiB ≈ 37.8 MB 4 × the weights
kept for the backward pass, fp32: 3,072 B a row
forward 2B·d_in·d_out 4,718,592 FLOP a row
Linear(768, 3072) 2,362,368 ≈ 9.012 MiB ≈ 9.449 MB
Linear(768, 3072, bias=False) 2,359,296 -3,072 = 9 MiB ≈ 9.437 MB
import torch.nn as nn
layer = nn.Linear(768, 3072)
print(sum(p.numel() for p in layer.parameters())) # 2362368
gpt2 block › feed forward › 1 12 ×""".splitlines()


def test_the_page_of_a_linear_layer():
    shown = squeezed(answer("Linear(768, 3072)"))
    assert [line for line in LINEAR if line not in shown] == []
    (same,) = (line for line in shown if line.startswith("4(d² + d) at d = 768: attention"))
    assert same.endswith("d_k = d/h, d_v = d/h;")
    assert "MultiheadAttention(768, h) in PyTorch" in shown


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("ReLU()", "ReLU() has no parameters"),
        ("RMSNorm(1)", "RMSNorm(1) has 1 parameter"),
        ("Linear(2, 3, bias=False)", "Linear(2, 3) 9 +3 36 B"),
        ("LayerNorm(768)", "LayerNorm(768, elementwise_affine=False) 0 -1,536 0 B"),
        ("Dropout()", "kept for the backward pass, fp32: 1 BTn B"),
        ("Embedding(10, 4)", "weights, fp32 160 B"),
        ("Softmax()", "kept for the backward pass, fp32: 4 BTn B"),
        ("MultiheadAttention(768, 12)", "forward 4BT²d + 8BTd² 3,072 BT² + 4,718,592 BT FLOP"),
        ("MultiheadAttention(768, 12)", "gpt2 block › attention 12 ×"),
        ("MultiheadAttention(768, 12)",
         "4(d² + d) at d = 768: linear with d_in = d, d_out = 4d; Linear(768, 3072) in PyTorch"),
        ("TransformerEncoderLayer(768, 12, 3072, norm_first=True)", "gpt2 block 12 ×"),
        ("GLU(0)", "note: d is axis 0, counted from 0, of what enters; B·T is the"),
        ("Embedding(50257, 768)", "gpt2 token embedding 1 ×"),
    ],
)  # fmt: skip
def test_a_line_of_a_page(written, line):
    assert line in "\n".join(squeezed(answer(written)))


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_a_page_of_any_width_says_the_same(width):
    said = answer("TransformerEncoderLayer(512, 8)", width).split()
    assert sorted(set(said)) == sorted(set(answer("TransformerEncoderLayer(512, 8)").split()))


def test_conventions_show():
    shown = squeezed(answer("Linear(768, 3072)", dtype="fp16", optimizer="momentum"))
    assert "weights, fp16 4,724,736 B ≈ 4.506 MiB ≈ 4.725 MB" in shown
    assert any(line.startswith("with gradients and momentum, fp16 14,174,208 B") for line in shown)


def test_nothing_is_written_as_nought():
    shown = squeezed(answer("Linear(2, 3)", frozen=["*"], input_gradient=False))
    assert {"kept for the backward pass, fp32: 0 B", "backward 0 0 FLOP"} <= set(shown)


def test_a_page_is_no_wider_than_it_may_be():
    for written in ("TransformerEncoderLayer(512, 8)", f"Linear({10**9}, {10**9})"):
        lines = answer(written, 90).splitlines()
        assert [line for line in lines if len(line) > 90 and "symledger" not in line] == []


def test_a_layer_occurs_where_its_weights_do():
    assert not list(places_in_models(derive("Linear(768, 3072, bias=False)")))
    assert not list(places_in_models(derive("Linear(3072, 3072)")))
    assert not list(places_in_models(derive("ReLU()")))
    found = {(o.model, o.path, o.times) for o in places_in_models(derive("Linear(768, 768)"))}
    assert {("gpt2", ("block", "attention", name), 12) for name in "QKVO"} <= found
    assert not list(published_places(derive("Linear(768, 3073)")))


@pytest.mark.parametrize(
    ("written", "count"),
    [("Linear(768, 3072)", 1), ("Linear(768, 3073)", 0), ("Linear(768, 3072, bias=False)", 0),
     ("MultiheadAttention(64, 4)", 1), ("LayerNorm(64)", 0)],
)  # fmt: skip
def test_an_identity_is_told_where_it_holds(written, count):
    account = derive(written)
    found = [same.account.params.value for same in same_parameters(account)]
    assert found == [account.params.value] * count


def test_an_identity_holds_where_all_its_equations_do():
    account = derive("Linear(768, 3072)")
    _, here, _ = account.identities[0]
    assert sizes_at(here, account.assumed.bindings)["d"] == 768
    assert sizes_at(here, derive("Linear(768, 768)").assumed.bindings) is None


@pytest.mark.parametrize(
    ("terms", "said"),
    [("attention", "4d²"), ("layer_norm", "2d"), ("post_ln_block", "12d² + 13d")],
)
def test_a_common_divisor_stands_in_front(terms, said):
    assert factored(derive(terms).params.corollary_terms) == said
    doubled = algebra.multiply(algebra.constant(2), derive("post_ln_block").params.corollary_terms)
    assert factored(doubled) == "2(12d² + 13d)"


def test_a_value_is_given_where_everything_is_known():
    account = derive("Linear(768, 3072)", {"B": 2})
    assert at_sizes(account, account.flops_forward, "FLOP") == "9,437,184 FLOP"
