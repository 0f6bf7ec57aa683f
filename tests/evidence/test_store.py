"""Evidence is kept once for what shares it, read as it was written, and said in sentences."""

import json

import pytest

from symledger import records
from symledger.catalogue.entries import place
from symledger.evidence import store
from symledger.evidence.claims import CLAIMS, KINDS, Claim, at_points
from symledger.evidence.comparison import Evidence, worst_of
from symledger.evidence.records import FOLDER, REFERENCE, recorded
from symledger.evidence.store import Findings, Stored, read, written

POINTS = ({"T": 2, "d": 3}, {"T": 3, "d": 5})
PLAIN = Evidence("params", Claim("weights"), POINTS, 0, "0", True)
RARE = Evidence("flops.forward", Claim("collected, drawn", (64, 10**6)), POINTS[:1], 7, "2.0e-03",
                False, "two differ", "exact", ("d_h = d/h", "d_ff = 4*d"))  # fmt: skip
KNOWN = {
    "a": Findings({"flops.forward": "f0", "params": "f1"}, (PLAIN, RARE)),
    "a[bias=true]": Findings({"params": "f1"}, (PLAIN,)),
}


def test_what_is_written_is_read_again():
    back = Stored(json.loads(written(KNOWN)))
    assert dict(back) == KNOWN
    assert back["a"].evidence[0] is back["a[bias=true]"].evidence[0]


def test_points_that_were_drawn_share_their_numbers():
    numbers = [n**3 for n in range(1, 41)]
    claim = Claim("collected, drawn", (20, 10**6))
    one = tuple({"d": n} for n in numbers[:20])
    two = tuple({"T": a, "d": b} for a, b in zip(numbers[::2], numbers[1::2], strict=True))
    other = tuple({"d": n + 1} for n in numbers[:20])
    known = {"a": Findings({}, tuple(
        Evidence("params", claim, points, 0, "0", True) for points in (one, two, other)
    ))}  # fmt: skip
    data = json.loads(written(known))
    assert data["points"] == []
    assert data["drawn"] == [numbers, [n + 1 for n in numbers[:20]]]
    assert [row[1] for row in data["comparisons"]] == [
        {"drawn": [0, 0, 20]}, {"drawn": [1, 0, 20]}, {"drawn": [0, 1, 20]},
    ]  # fmt: skip
    assert dict(Stored(data)) == known


def test_what_is_shared_stands_once_and_what_is_usual_not_at_all():
    data = json.loads(written(KNOWN))
    assert data["points"] == [[0, 2, 3], [0, 3, 5]]
    assert data["comparisons"][0] == [0, [0, 1]]
    assert len(data["claims"]) == len(data["comparisons"]) == 2
    assert data["recorded"] == {"a": [[0, 1], [0, 1]], "a[bias=true]": [[1], [0]]}


def test_of_a_file_only_the_variant_that_is_asked_for_is_read(monkeypatch):
    found = read(place(FOLDER, "llama"))
    made = []
    monkeypatch.setattr(store, "Evidence", lambda *row: made.append(row))
    found["llama"]
    assert len(made) == len(found._variants["llama"][1])
    assert read(FOLDER / "nothing.json") == {}


@pytest.mark.parametrize("folder", [FOLDER, REFERENCE], ids=lambda folder: folder.name)
def test_every_file_is_as_it_would_be_written_and_every_claim_can_be_said(folder):
    for file in sorted(folder.rglob("*.json")):
        found = read(file)
        assert written(found) == file.read_text(encoding="utf-8"), file
        said = {e.sentence for about in found.values() for e in about.evidence}
        assert all(said)
        assert not any("{" in sentence for sentence in said)


def test_an_owner_costs_little():
    """All claims of it, of every choice: about ten thousand characters."""
    sizes = [file.stat().st_size for file in FOLDER.rglob("*.json")]
    assert sum(sizes) / len(sizes) < 10_900
    every = sum(file.stat().st_size for file in records.FOLDER.rglob("*.json"))
    assert every / len(sizes) < 28_200, "with what explain searches, and what is alive when"


def test_a_claim_is_a_sentence_about_its_numbers_and_its_comparison():
    assert PLAIN.sentence == (
        "the elements of all weight arrays of a run are as many as the formula says, at 2 points"
    )
    assert RARE.sentence == (
        "flops.forward, collected, equals the sum of its lines; equal at 64 points, drawn below "
        "1000000"
    )
    assert (PLAIN.kind, RARE.kind) == ("substitution", "identity")
    assumed = Evidence("params", Claim("assumed, proven", (6,)), (), 0, "0", True,
                       assumptions=("h = 1",))  # fmt: skip
    assert assumed.sentence.startswith("params does so with h = 1; proof: equal on a grid")
    same = Claim("same, drawn", (64, 10**6, "linear", "attention with bias")).said("params", 64)
    assert same.startswith("linear equals attention with bias; equal at 64 points, drawn below")
    more = Claim("kept but", ("nn.RNN", "4*B", "why")).said("memory.saved", 3)
    assert more.endswith("pass of nn.RNN, but for 4*B more (why), at 3 points")


def test_the_sentence_of_every_claim_has_one_kind():
    assert sum(map(len, CLAIMS.values())) == len(KINDS)
    made = {e.claim.name for about in recorded("mini_gpt").values() for e in about.evidence}
    assert made <= KINDS.keys()


def test_deviations_are_written_shortly():
    assert [worst_of(x) for x in ([], [0], [1e-3, 2e-3], [float("nan")])] == [
        "0", "0", "2.0e-03", "nan",
    ]  # fmt: skip
    assert at_points(1) == "at 1 point"
