"""Quantised weights: bytes of elements and scales, beside what was stored; what is refused."""

import pytest

from symledger import derive
from symledger.algebra import add, substitute, subtract, terms, variable
from symledger.errors import BadInput, NotKnown
from symledger.inverse.solve import solve
from symledger.ledger import quantised
from symledger.ledger.conventions import stored_as
from symledger.ledger.quantised import TYPES
from symledger.readings.live.moments import alive
from symledger.readings.live.timeline import Timeline
from tests.documents import ROOT
from tests.invoke import assert_refuses

STORED = {
    ("nf4", 96, 64): 3072 + 384,
    ("nf4", 128, 32): 2048 + 256,
    ("nf4-double", 384, 128): 24_576 + 768 + 12 + 4,
    ("int8", 96, 64): 6144 + 256,
    ("int8", 10, 65): 650 + 260,
    ("mxfp4", 64, 3): 96 + 6,
    ("mxfp6", 64, 3): 144 + 6,
    ("mxfp8", 64, 3): 192 + 6,
    ("mxint8", 64, 3): 192 + 6,
}
"""Bytes of a weight by (type, columns, rows): those of int8 and nf4 as bitsandbytes 0.50.2 held
them (``int8_vectorwise_quant``, ``quantize_4bit``), of MX by the specification."""


def linear(weights, d_in, d_out):
    """A linear map without a bias, of which the weight is quantised."""
    sizes = {"d_in": d_in, "d_out": d_out, "bias": False}
    return derive("linear", sizes, frozen="*", weights=weights)


@pytest.mark.parametrize(("weights", "d_in", "d_out"), STORED)
def test_a_weight_takes_what_was_stored(weights, d_in, d_out):
    assert linear(weights, d_in, d_out).memory_parameters.value == STORED[weights, d_in, d_out]


def test_a_published_file_is_as_long():
    """``total_size`` of openai/gpt-oss-20b, model.safetensors.index.json."""
    found = derive("gpt-oss-20b", dtype="bf16", frozen="*", weights="mxfp4:*experts*")
    assert found.memory_parameters.value == 13_761_264_768


def test_tables_vectors_and_others_stay_of_the_type_of_values():
    a = derive("llama-2-7b", dtype="bf16", frozen="*", weights="nf4:block.*")
    blocks = 32 * (4 * 4096**2 + 3 * 4096 * 11_008)
    others = 2 * 32_000 * 4096 + 65 * 4096
    assert a.memory_parameters.value == blocks // 2 + blocks // 64 * 4 + 2 * others
    assert a.memory_training.value == a.memory_parameters.value + a.memory_saved.value
    assert a.to_dict()["conventions"]["weights"] == (
        "nf4 (4 bits, and a scale in fp32 for each 64 elements): block.*"
    )


def test_a_tied_table_is_no_matrix_that_is_only_multiplied_by():
    plain, found = (derive("gpt2", frozen="*", weights=w) for w in (None, "int8"))
    matrices = 12 * 12 * 768**2
    rows = 12 * 9 * 768
    saved = plain.memory_parameters.value - found.memory_parameters.value
    assert saved == 3 * matrices - 4 * rows


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (("--weights", "nf5"), "nf5 is no type of quantised weights. Did you mean nf4?"),
        (("--weights", "nf4:"), "nf4: names no weight"),
        (("--weights", "nf4:foo", "--freeze", "*"), "no matrix that is multiplied by is named foo"),
        (("--weights", "nf4"), "block.attention.Q.W is trained"),
        (("--weights", "nf4", "--dtype", "fp8"), "a --dtype of 2 bytes or more"),
        (
            ("--weights", "mxfp4", "--freeze", "*", "--set", "d=100", "--set", "h=4"),
            "block.attention.Q.W would be of d/32 = 25/8 blocks of mxfp4",
        ),
    ],
)
def test_what_cannot_be_is_refused(said, reason):
    assert_refuses("derive", "gpt2", *said, said=reason)


def test_a_weight_that_is_multiplied_by_in_another_shape_is_refused():
    with pytest.raises(BadInput, match=r"stem\.F is multiplied by in another shape than its own"):
        derive("convnext", frozen="*", weights="nf4")


def test_nothing_is_said_of_what_is_moved():
    account = linear("nf4", 64, 64)
    assert "traffic.forward" not in account.quantities
    with pytest.raises(NotKnown, match="are made values before they are multiplied by"):
        account["traffic.forward"]


@pytest.mark.parametrize(("target", "weights", "quantity", "said"), [
    ("llama", "int8", "memory.peak.train", "of nf4, whose values are made for each product"),
    ("llama", "nf4-double", "memory.peak.train", "weights in nf4-double are multiplied by"),
    ("llama", "nf4", "memory.peak.decode", "where few rows are multiplied"),
    ("mixtral", "nf4", "memory.peak.train", "is of several experts"),
])  # fmt: skip
def test_a_peak_that_is_not_known_is_withheld(target, weights, quantity, said):
    account = derive(target, frozen="*", weights=weights)
    with pytest.raises(NotKnown, match=said):
        account[quantity]


def test_values_of_a_weight_are_there_while_it_is_multiplied_by():
    """By hand, of y = xW + (xA)B where W is by far the largest."""
    account = derive("lora_linear", {"bias": False}, dtype="bf16", weights="nf4:W")
    B, d_in, d_out, r = 3, 256, 512, 2
    elements, adapters = d_in * d_out, r * (d_in + d_out)
    kept = elements // 2 + elements // 64 * 4 + adapters * 2 + 2 * adapters * 2  # W, A, B, states
    product = B * d_in * 2 + elements * 2 + B * d_out * 2  # x, the values of W, and xW
    found = account.subs({"B": B, "d_in": d_in, "d_out": d_out, "d_r": r})["memory.peak.forward"]
    assert found.value == kept + product


def test_they_are_gone_behind_each_product_of_both_passes():
    account = derive("gpt2", {"recompute": True}, dtype="bf16", lora="r=4", weights="nf4:block.*")
    program, prices = account.program, account.readings.prices
    packed = quantised.weights("nf4:block.*", program)
    walked = Timeline(program, unpacked=packed), Timeline(program)
    for line in walked:
        line.back(account.readings.back)
    (mine, more), (other, plain) = ((t.steps, alive(t, prices)) for t in walked)
    ways = set()
    for a, b, all_of_it, rest in zip(mine, other, more, plain, strict=True):
        read = [x.size * 2 for x in a.made.args if x in packed] if a.measured else []
        if a.measured:
            same = {q.index: variable(p.index) for p, q in zip(a.places, b.places, strict=True)
                    if p.index}  # fmt: skip
            assert subtract(all_of_it, substitute(rest, same)) == add(map(terms, read))
            ways |= {a.way} if read else set()
    assert ways == {"forward", "backward"}


def test_a_size_is_asked_for_where_blocks_are_filled():
    account = derive("llama-2-7b", dtype="bf16", frozen="*", weights="mxfp4")
    inside = solve(account, "d_ff", "memory.parameters", 24 * 10**9).inside
    assert inside.size == 107_808 == 32 * 3369
    with pytest.raises(BadInput, match="107809/32 blocks"):
        account.subs(d_ff=107_809)


def test_documents_hold_the_table():
    written = (ROOT / "docs" / "conventions.md").read_text("utf-8")
    for name, kind in TYPES.items():
        assert f"| `{name}` | {stored_as(name)} | {kind.source} |" in written
