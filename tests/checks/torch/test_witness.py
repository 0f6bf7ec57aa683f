"""PyTorch agrees to the unit, and would not if something were wrong."""

import sys
from dataclasses import replace

import pytest

from symledger import derive
from symledger.catalogue.entries import ENTRIES, find
from symledger.checks.mutants.rewriting import Rewriting, again
from symledger.checks.torch import witness as torch_witness
from symledger.checks.torch.artefacts import ARTEFACTS
from symledger.checks.torch.witness import POINTS, kept_without, sizes_at, witnessed
from symledger.cli import check as command
from symledger.configs.families import every_family
from symledger.errors import DefinitionError
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.evidence.records import recorded
from symledger.evidence.store import Findings
from symledger.ir.ops import Map
from symledger.ledger.quantities import Readings
from tests.every import OWNERS, chosen
from tests.every import account as plain

EXPECTED = {
    # target: which quantities PyTorch says something about, how many cases it has
    "linear": ({"params", "flops.forward", "flops.backward", "memory.saved", "gradients"}, 1),
    "softmax": ({"params", "memory.saved", "gradients"}, 1),
    "dropout": ({"params", "memory.saved"}, 1),
    "bert[dropout=true]": ({"params", "flops.forward", "flops.backward", "memory.saved"}, 1),
    "lstm[bidirectional=true]": (
        {"params", "flops.forward", "flops.backward", "memory.saved", "gradients"}, 2),
    "group_norm": ({"params", "memory.saved", "gradients"}, 3),
    "encoder_decoder[flash=true]": (
        {"params", "flops.forward", "flops.backward", "memory.saved", "gradients"}, 3),
    "post_ln_block[flash=true]": (
        {"params", "flops.forward", "flops.backward", "memory.saved", "gradients"}, 2),
    "llama": ({"params", "flops.forward", "flops.backward", "memory.saved", "gradients"}, 1),
}  # fmt: skip


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="needs PyTorch")


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("owner", OWNERS)
def test_pytorch_agrees_to_the_unit(owner):
    for name, account in chosen(owner).items():
        found = list(witnessed(account))
        assert [(name, e.quantity, e.detail) for e in found if not e.passed] == []
        if name in EXPECTED:
            quantities, cases = EXPECTED[name]
            assert {e.quantity for e in found} == quantities
            assert len({e.claim for e in found if e.quantity == "params"}) == cases


def test_what_is_expected_of_pytorch_is_a_variant():
    assert [name for name in EXPECTED if name not in chosen(name.partition("[")[0])] == []


MEASURED = {"unet"}
"""What is compared with measured records of tests/configurations, by itself or within a model."""


@pytest.mark.usefixtures("torch")
def test_pytorch_has_every_model():
    """And every component, which is looked for where its topic's others are (``test_cases``)."""
    from symledger.checks.torch.cases import CASES

    assert set(CASES) - {e.family for e in ENTRIES} == set(), "the catalogue has no such name"
    built = {find(b.entry).family for family in every_family() for b in family.builds.values()}
    models = {entry.family for entry in ENTRIES if entry.kind == "model"}
    without = models - set(CASES) - built  # the comparison with transformers builds these
    assert without - MEASURED == set(), (
        "read its configurations (config.py of its folder), or give it a row of CASES in "
        "symledger/checks/torch/models"
    )
    assert without == MEASURED


NEEDED = {
    "fused norm": "rms_norm", "noise": "dropout", "loss": "cross_entropy",
    "unread input": "avg_pool2d",
    "states": "rnn", "shown cell": "lstm", "fused attention": "flash_attention", "groups": "conv2d",
    "repeated heads": "self_attention", "fused attention again": "checkpointed_block",
    "exponential": "activation", "bags": "embedding_bag", "unseen product": "bilinear",
    "smoothed loss": "cross_entropy", "zeros": "selective_scan", "cut": "state_space_dual",
    "repeated weights": "group_norm", "batch first": "gru", "normalized alone": "rms_norm",
    "lengths": "cosine_similarity",
}  # fmt: skip
"""For each artefact that occurs here, a target that differs without it."""
CHOSEN = {"fused attention again": {"flash": True}, "exponential": {"function": "log_sigmoid"},
          "smoothed loss": {"smoothing": True}, "batch first": {"bidirectional": True}}  # fmt: skip


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", NEEDED)
def test_without_its_artefact_a_target_differs(name, monkeypatch):
    rows = ARTEFACTS[name]
    monkeypatch.setattr(torch_witness, "ARTEFACTS", {**ARTEFACTS, name: ()})
    asked = name != "normalized alone"
    account = derive(NEEDED[name], CHOSEN.get(name, {}), input_gradient=asked)
    wrong = {e.quantity for e in witnessed(account) if not e.passed}
    assert wrong == {row.quantity for row in rows}


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", ["linear", "rms_norm", "conv2d", "gru", "avg_pool2d", "dropout"])
def test_pytorch_agrees_where_inputs_ask_for_no_gradient(name):
    found = list(witnessed(derive(name, input_gradient=False)))
    assert found
    assert [(e.quantity, e.detail) for e in found if not e.passed] == []


def with_program(name, program):
    account = derive(name)
    account.program = program
    account.readings = Readings(program, account.conventions)
    return account


def doubled(t, args):
    return again(t, args, op=Map(replace(t.op.code, value=2 * t.op.code.value)))


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", ["feed_forward", "rotary_positions", "dot_product_attention"])
def test_a_wrong_constant_that_the_backward_program_follows_is_seen_in_values_alone(name):
    program = derive(name).program
    (t, *_) = [t for t in program.tensors if isinstance(t.op, Map)]
    wrong = with_program(name, Rewriting(t, doubled).program(program))
    assert [e.quantity for e in witnessed(wrong) if not e.passed] == ["gradients"]


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(
    ("name", "other", "quantities"),
    [
        ("linear", {"bias": False}, {"params"}),
        ("lm_head", {}, set()),
        ("feed_forward", {"activation": "relu"}, {"memory.saved", "gradients"}),
        ("pre_ln_block", {"norm": "rms"}, {"params"}),
        ("self_attention", {"causal": True}, {"gradients"}),
    ],
)
def test_another_program_than_said_is_refused(name, other, quantities):
    wrong = with_program(name, derive(name, other).program)
    assert {e.quantity for e in witnessed(wrong) if not e.passed} == quantities


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("owner", OWNERS)
def test_no_two_sizes_of_a_target_are_the_same_at_every_point(owner):
    """One would be taken for the other, and no number would tell."""
    decided = {s.name for s in plain(owner).program.definitions}
    free = [n for n in plain(owner).symbols if n not in decided and n in POINTS[0]]
    values = [tuple(point[n] for point in POINTS) for n in free]
    assert len({*values}) == len(values)


def test_sizes_that_a_case_cannot_tell_apart_are_made_equal():
    class Case:
        equal = {"h_kv": "h", "d": "h*d_k"}  # noqa: RUF012  # a stand-in

    found = sizes_at({"h": 3, "d_k": 4, "d": 5, "h_kv": 1}, Case)
    assert found == {"h": 3, "d_k": 4, "d": 12, "h_kv": 3}


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"build": lambda s, o: s["d_inn"]}, "raised KeyError"),
        ({"given": {"biased": True}}, "raised KeyError.*: 'biased'"),
        ({"equal": {"d_in": "d_inn"}}, "raised ValueError.*: .*'d_inn'"),
        ({"uses": lambda o: {"nothing such": "1"}}, "raised KeyError.*: 'nothing such'"),
    ],
)
def test_a_case_that_cannot_be_used_is_named(wrong, said, monkeypatch):
    from symledger.checks.torch import cases

    (plain_case,) = cases.CASES["linear"]
    monkeypatch.setattr(cases, "CASES", {"linear": (replace(plain_case, **wrong),)})
    with pytest.raises(DefinitionError, match=said) as refused:
        list(witnessed(derive("linear")))
    message = str(refused.value)
    assert message.startswith("linear is nn.Linear by its row of CASES in symledger/checks/torch/")
    assert "/modules/maps.py, which cannot be used: symledger/checks/torch/" in message
    assert message.endswith("Its sizes and options are B, d_in, d_out, bias.")


def test_a_symbol_without_a_size_gets_one_of_its_own():
    class Case:
        equal = {"h": "3*n_new"}  # noqa: RUF012  # a stand-in

    point = {"d": 2, "h": 9, "L": 3}
    assert sizes_at(point, Case, {"d", "n_new"}) == {"d": 2, "h": 9, "L": 3, "n_new": 3}
    names = {"d", "L", "n_new", "n_old"}
    assert [sizes_at(point, Case, names, least)["n_new"] for least in (2, 5)] == [4, 5]


def test_without_pytorch_the_rest_is_checked_and_the_page_says_so(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert command.run(["softmax"], as_json=False) == 0
    said = capsys.readouterr().out
    assert "pytorch: skipped, PyTorch is not installed" in said
    assert "✓ pytorch" not in said


def test_without_pytorch_its_earlier_testimony_stays_while_the_formula_does(monkeypatch):
    monkeypatch.setattr(torch_witness, "installed", lambda: False)
    e = Evidence("params", Claim("parameters", ("nn.Linear",)), ({"d": 2},), 0, "0", True)
    other = Evidence("params", Claim("weights"), ({"d": 2},), 0, "0", True)
    known = Findings({"params": "a"}, (e, other))
    assert kept_without(known, {"params": "a"}) == [e]
    assert kept_without(known, {"params": "b"}) == []


def test_what_pytorch_said_is_on_record():
    kinds = {e.kind for e in recorded("gpt2")["gpt2"].evidence}
    assert "pytorch" in kinds


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("name", ["Linear", "MultiheadAttention", "Conv2d", "ConvTranspose2d"])
def test_flops_are_those_of_pytorchs_own_counter(name):
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from symledger.checks.torch.counter import Counter

    x = torch.ones(2, 6, 6, requires_grad=True)
    sizes = dict.fromkeys(("Conv2d", "ConvTranspose2d"), (2, 4, 3))
    sizes["MultiheadAttention"] = (6, 2)
    inputs = (x, x, x) if name == "MultiheadAttention" else (x,)
    module = getattr(torch.nn, name)(*sizes.get(name, (6, 5)))
    counts = []
    for counter in (FlopCounterMode(display=False), Counter()):
        with counter:
            out = module(*inputs)
            (out if torch.is_tensor(out) else out[0]).sum().backward()
        counts.append(getattr(counter, "total", None) or counter.get_total_flops())
    assert counts[0] == counts[1] > 0
