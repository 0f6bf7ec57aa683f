"""A saved trace is a target: it answers without PyTorch, in symbols and in the author's names."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from symledger.accounts.account import Account, derive
from symledger.derivations.query import requested
from symledger.errors import BadInput, NotKnown
from symledger.targets.traced import traced_target
from symledger.traces.checked import Checked
from symledger.traces.reading import loaded
from tests import documents, invoke

SAVED = str(documents.ROOT / "examples" / "gpt.trace.json")


def test_a_trace_of_gpt_2_has_the_polynomial_of_the_catalogue():
    found, known = derive(SAVED), derive("gpt2", {"T": 12, "B": 2})
    assert found.params.text == known.params.text == "12Ld² + 13Ld + T_max·d + Vd + 2d"
    assert found.params.value == known.params.value == 124_439_808
    assert found.flops_forward.text == known.flops_forward.text


def test_sizes_are_set_by_symbol_and_by_the_name_that_the_author_gave_them():
    six = derive(SAVED, {"L": 6}).params.value
    assert derive(SAVED, {"n_layer": 6}).params.value == six < derive(SAVED).params.value
    assert derive(SAVED).subs(n_layer=6).params.value == six


@pytest.mark.parametrize(("settings", "said"), [
    ({"n_embd": 64, "d": 128}, "set twice"), ({"n_layr": 3}, "Did you mean n_layer"),
    ({"d": 769}, "divisible by h"), ({"d": 0}, "size"),
])  # fmt: skip
def test_settings_that_cannot_be_are_refused(settings, said):
    with pytest.raises(BadInput, match=said):
        _ = derive(SAVED, settings).params


def test_what_lies_beyond_the_points_is_extrapolated():
    inside, outside = derive(SAVED), derive(SAVED, {"L": 1000})
    assert inside.to_dict()["extrapolated"] is False
    assert outside.to_dict()["extrapolated"] is True
    assert set(outside.to_dict()["beyond"]) == {"L"}
    assert "extrapolated" not in invoke.run("derive", SAVED).out
    assert "extrapolated: beyond what was verified lies L" in invoke.run(
        "derive", SAVED, "--set", "L=1000"
    ).out


def account(*checks):
    traced = replace(loaded(Path(SAVED).read_bytes(), SAVED), checks=checks)
    return Account(requested(SAVED), traced_target(traced, SAVED))


def test_a_quantity_whose_check_failed_is_not_shown_and_the_others_are():
    failed = account(Checked("flops.backward", "FLOPs counted", 1, "3", False, "first at fc"))
    assert "flops.backward" not in failed.quantities
    assert "flops.training" not in failed.quantities
    assert {"params", "flops.forward", "memory.saved"} <= set(failed.quantities)
    with pytest.raises(NotKnown, match="first at fc"):
        _ = failed["flops.backward"]
    assert "flops.backward" not in failed.to_dict()["formulas"]


def test_the_page_stands_without_its_parameters():
    from symledger.report.page import page

    shown = page(account(Checked("params", "counted", 1, "9", False, "w")), (), 2, 100).text()
    assert "PARAMS" not in shown
    assert "not shown: params" in shown
    assert "FLOPS" in shown


def test_nothing_recorded_of_a_catalogue_name_is_taken_for_that_of_a_trace():
    found = derive(SAVED)
    assert found.target.owner == "gpt"
    assert [found.tag(name) for name in found.quantities if found.tag(name)] == []
    assert not any(found.evidence.values())


@pytest.mark.parametrize("arguments", [
    ("derive", SAVED, "--json"), ("derive", SAVED, "--format", "latex"),
    ("derive", SAVED, "--format", "markdown"), ("derive", SAVED, "--format", "python"),
    ("derive", SAVED, "--quantity", "memory.saved", "--depth", "4"), ("compare", SAVED, "gpt2"),
    ("explain", "124439808", "--in", SAVED),
], ids=" ".join)  # fmt: skip
def test_every_command_takes_a_trace(arguments):
    invoke.assert_answers(*arguments)


def test_a_trace_is_checked_against_its_module_and_not_by_our_checks():
    invoke.assert_refuses("check", SAVED, said="symledger trace --verify")


def test_an_edited_or_missing_trace_is_refused(tmp_path):
    edited = tmp_path / "a.trace.json"
    edited.write_text(Path(SAVED).read_text("utf-8").replace("3*d", "4*d"))
    invoke.assert_refuses("derive", str(edited), said=r"graph\.nodes\[\d+\].*edited")
    invoke.assert_refuses("derive", str(tmp_path / "none.trace.json"), said="No such file")


def test_a_trace_needs_no_pytorch():
    code = f"""
import sys
sys.modules["torch"] = None
from symledger import derive
assert derive({SAVED!r}).params.value == 124439808
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  # our own code


@pytest.mark.parametrize("form", ["text", "bibtex", "biblatex", "latex", "markdown"])
def test_a_formula_of_a_trace_is_cited_by_its_canonical_form_and_no_tag(form):
    from symledger.tags.canonical import canonical_form, fingerprint

    found = invoke.run("cite", f"{SAVED}.params", "--format", form)
    assert (found.code, found.err) == (0, "")
    assert fingerprint(canonical_form(derive(SAVED), "params")) in found.out
    assert "SL-" not in found.out
    assert "revision" not in found.out


def test_a_trace_alone_is_no_formula():
    invoke.assert_refuses("cite", SAVED, said="name one of its quantities")
