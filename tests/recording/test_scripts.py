"""What the script of a witness needs: sizes of its page, and a case that reads nothing else."""

from dataclasses import replace

import pytest

from symledger import derive
from symledger.errors import BadInput, DefinitionError
from symledger.recording.scripts import at_page, call_at

torch = pytest.importorskip("torch", reason="needs PyTorch")


def test_a_page_without_a_size_is_refused_with_its_text():
    said = r"maps/texts/en/linear\.toml: give B, d_out a size in settings of \[example\]\.$"
    with pytest.raises(BadInput, match=said):
        call_at(derive("linear", {"d_in": 2}))


def test_a_case_that_reads_what_is_not_there_is_named(monkeypatch):
    from symledger.checks.torch import cases

    (case,) = cases.CASES["linear"]
    wrong = replace(case, build=lambda s, o: s["d_inn"])
    monkeypatch.setattr(cases, "CASES", {"linear": (wrong,)})
    with pytest.raises(DefinitionError, match=r"nn\.Linear by its row of CASES in .*/maps\.py"):
        call_at(at_page("linear"))
