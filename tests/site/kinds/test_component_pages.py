"""Component pages: every part is there, every number is the ledger's, every bug is one."""

import ast
import gzip
import io
import re
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache, partial

import pytest

from symledger.accounts.account import derive
from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.entry import Entry
from symledger.catalogue.text_places import place
from symledger.catalogue.texts import Bug, Example, Exercise, Text, text_of
from symledger.checks.mutants.demonstrating import demonstrated
from symledger.checks.mutants.mutant import SURVIVED
from symledger.checks.mutants.statements import Statement, refused
from symledger.errors import BadInput, DefinitionError, SymledgerError
from symledger.evidence import demonstrations
from symledger.recording.scripts import call_at
from symledger.site import scripts
from symledger.site.atlas import topic_of
from symledger.site.html.amounts import TOGETHER
from symledger.site.html.templating import Templates
from symledger.site.kinds import component
from symledger.site.kinds.component import definition, graph, lessons, numbers, proof
from symledger.site.text.examples import settings, undecided
from symledger.site.text.voice import Voice
from symledger.site.uses import users
from tests.every import EVERY_CASE
from tests.site.some import left_out
from tests.site.whole import ATLAS

COMPONENTS = {entry.name: entry for entry in ENTRIES if entry.kind == "component"}
OWNERS = [entry.name for entry in ENTRIES if entry.family == entry.name]
ALWAYS = ("shapes", "definition", "forward", "backward", "parameters", "flops", "memory",
          "traffic", "pytorch", "bugs", "evidence", "questions", "exercises", "around",
          "references", "conventions")  # fmt: skip
RAW, ZIPPED = 260_000, 30_000
"""Bytes of a page, its frame aside: at most 260 KB and 30 KB with it."""


def example(name):
    """The account of a page, at the sizes of its example."""
    if lacking(name):  # one failure is enough
        pytest.xfail("test_a_page_lacks_nothing says what is to be written")
    chosen = settings(ATLAS.account(name), text_of(name))
    return ATLAS.account(name, **chosen), chosen


@cache
def lacking(name):
    """What a page lacks, each with the file to edit."""
    account, text, file = ATLAS.account(name), text_of(name), place(name)
    unbound = sorted(undecided(account) - settings(account, text).keys())
    backward = {e.name for e in account.equations()[1]}
    without = sorted(backward - text.intuition.keys())
    vain = sorted(text.intuition.keys() - backward)
    return [
        *([f"{file}: give {', '.join(unbound)} a size in settings of [example]"] * bool(unbound)),
        *([f"{file}: write a line of [intuition] for {', '.join(without)}"] * bool(without)),
        *([f"{file}: no backward equation is of {', '.join(vain)}"] * bool(vain)),
        *(f"{file}: write {part}, as docs/extending.md says"
          for part in ("example", "bugs", "questions", "exercises") if not getattr(text, part)),
    ]  # fmt: skip


@EVERY_CASE
@pytest.mark.parametrize("name", COMPONENTS)
def test_a_page_lacks_nothing(name):
    if lacking(name):
        pytest.fail("\n".join(lacking(name)), pytrace=False)


@cache
def page(name):
    """The page of a component: that of the site where it is made there."""
    make = partial(component.page, ATLAS, Templates(), COMPONENTS[name])
    return ATLAS.memory.page(name, make) if not left_out(name) else make()


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_page_has_all_parts_and_is_light(name):
    if lacking(name):
        pytest.xfail("test_a_page_lacks_nothing says what is to be written")
    assert page(name).path == f"components/{name}.md"
    merged = page(name).merged
    anchors = re.findall(r"^## .*\{: #([\w-]+)(?: data-search-exclude)? \}$", merged, re.MULTILINE)
    absent = sorted(set(ALWAYS) - set(anchors))
    assert absent == [], f"{place(name)} says these, and a row of CASES (pytorch)"
    assert len(anchors) == len(set(anchors))
    assert len(merged.encode()) < RAW
    assert len(gzip.compress(merged.encode(), mtime=0)) < ZIPPED
    assert "data-block" not in merged
    assert "None" not in re.sub(r"```.*?```", "", merged, flags=re.DOTALL)


def test_the_page_of_a_linear_layer_says_what_is_known():
    linear = page("linear")
    for known in ("2,362,368", "150,994,944", "9,449,472", "≈ 9.012 MiB ≈ 9.449 MB", "37,896,192"):
        assert known in linear.merged.replace(TOGETHER, " ")
    assert 'y = einsum("... i, i o -> ... o", x, W)' in linear.source
    assert "nn.Linear(768, 3072)" in linear.source


def test_a_definition_brings_the_methods_that_it_calls_once():
    source = definition.source(COMPONENTS["attention"])
    names = re.findall(r"^def (\w+)", source, re.MULTILINE)
    assert names[0] == "forward"
    assert {"heads", "core"} < set(names)
    assert len(set(names)) == len(names)
    assert set(names) - {"forward"} <= set(re.findall(r"self\.(\w+)\(", source))
    dual = definition.source(COMPONENTS["state_space_dual"])
    for part in ("stepwise", "chunked", "passed"):
        assert dual.count(f"def {part}(") == 1
    beside = definition.source(COMPONENTS["gated_delta_rule"])
    for part in ("stepwise", "chunked", "of_heads", "unit"):
        assert beside.count(f"def {part}(") == 1
    stated = definition.source(COMPONENTS["layer_norm"])
    assert re.findall(r"^def (\w+)", stated, re.MULTILINE)[:2] == ["forward", "pullback"]


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_number_of_a_page_is_bound(name):
    account, _ = example(name)
    assert [q for q in account.quantities if account[q].exact is None] == []


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_calculator_has_sizes_to_put_in_and_begins_with_the_values_of_the_page(name):
    account, _ = example(name)
    made = component.calculated(account)
    assert made.boxes
    assert {r.label: r.value for r in made.results} == {
        r.label: f"{account[r.label].value:,}" for r in made.results
    }


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # PyTorch on its own fast path
@pytest.mark.parametrize("name", COMPONENTS)
def test_the_code_prints_what_the_page_says(name):
    pytest.importorskip("torch", reason="needs PyTorch")
    account, _ = example(name)
    for snippet in definition.snippets(ATLAS, COMPONENTS[name], account):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(snippet.code, {})  # noqa: S102  # our own three lines
        assert printed.getvalue().strip() == snippet.prints
        assert f"# {snippet.prints}" in snippet.code


def scripted(name):
    found = definition.witness(COMPONENTS[name], example(name)[0])
    if found is None:
        entry = COMPONENTS[name]
        file = f"symledger/checks/torch/modules/{entry.named.module.split('.')[1]}.py"
        pytest.fail(f"no script says how {name} is written in PyTorch: give {entry.family} a row "
                    f"of CASES in {file}, and run `symledger record {entry.family}`",
                    pytrace=False)  # fmt: skip
    return found


@pytest.mark.parametrize("name", COMPONENTS)
def test_the_script_of_a_witness_knows_nothing_of_ours(name):
    code = scripted(name).script.code
    assert "symledger" not in code
    tree = ast.parse(code)
    homes = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {str(home).partition(".")[0] for home in homes} <= {
        "torch", "typing", "collections", "functools",
    }  # fmt: skip


@pytest.mark.parametrize("name", COMPONENTS)
def test_the_script_of_a_witness_prints_what_the_page_says(name):
    pytest.importorskip("torch", reason="needs PyTorch")
    code = scripted(name).script.code
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, {})  # noqa: S102  # our own witness
    said = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    assert printed.getvalue().splitlines() == said
    account, _ = example(name)
    assert said[0] == f"{int(account.params.value):,} parameters"
    if "flops.forward" in account.quantities:
        assert said[1] == f"{int(account['flops.forward'].value):,} FLOPs"


def test_the_calls_of_the_scripts_are_those_of_the_witnesses():
    pytest.importorskip("torch", reason="needs PyTorch")
    found = {name: call_at(scripts.at_page(ATLAS, entry)) for name, entry in COMPONENTS.items()}
    assert {name: call for name, call in found.items() if call} == dict(scripts.calls())


def test_most_layers_of_pytorch_stand_on_some_page():
    found = {
        snippet.layer
        for name, entry in COMPONENTS.items()
        for snippet in definition.snippets(ATLAS, entry, example(name)[0])
    }
    assert {"Linear", "MultiheadAttention", "LayerNorm", "Embedding", "Conv2d", "LSTM"} <= found


@pytest.mark.parametrize("name", [*COMPONENTS])
def test_a_check_that_is_run_refuses_every_wrong_formula(name):
    for bug in text_of(name).bugs:
        counted = bug.quantity.startswith(("params", "flops")) and "." not in bug.quantity[6:]
        if bug.wrong and counted:
            options = " ".join(f"{k}={str(v).lower()}" for k, v in bug.options.items())
            statement = Statement(bug.title, name, bug.quantity, bug.wrong, options)
            assert refused(statement) != SURVIVED, bug.title


@pytest.mark.parametrize("name", COMPONENTS)
def test_bugs_are_demonstrated(name):
    account, chosen = example(name)
    for shown in proof.bugs(ATLAS, account, chosen, text_of(name).bugs):
        assert shown.check
        assert shown.found or shown.wrong_there != shown.right_there


def test_what_is_no_bug_is_refused():
    account, chosen = example("linear")
    right = Bug("none", "", "params", "d_out*(d_in + 1)")
    with pytest.raises(BadInput, match="demonstrates nothing"):
        proof.bugs(ATLAS, account, chosen, (right,))


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_backward_equation_has_its_line_of_intuition(name):
    said = text_of(name).intuition
    account, _ = example(name)
    assert set(said) == {e.name for e in account.equations()[1]}
    assert all(line.intuition for line in definition.equations(account, said)[1])


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("linear", [768 * 1024, 4 * 64 * 768, 6 * 768 * 3072]),
        ("attention", [4 * (768**2 + 768), 4 * 8 * 1024**2 * 12 + 24 * 8 * 1024 * 768,
                       2 * 768**2 + 2 * 768 * 64]),
        ("layer_norm", [768, 4 * 8 * 512 * 1536 + 8 * 8 * 512]),
        ("feed_forward", [8 * 768**2, 48 * 768**2, 3 * 768 * 2048]),
        ("gated_feed_forward", [3 * 8192 * 28672, 6 * 4096 * 11008,
                                4 * 2048 * 4096 + 16 * 2048 * 11008]),
        ("flash_attention", [4 * 8 * 4096 * 12 * (4 * 64 + 1),
                             4 * 8 * 2048 * 12 * (3 * 64 + 2048), 14 * 8 * 2048**2 * 12 * 64]),
        ("mixture_of_experts", [4096 * 8 * (3 * 14336 + 1), 4096 * (3 * 14336 + 8),
                                2 * 4096**2 * (3 * 14336 + 8)]),
        ("lora_linear", [4096**2 + 64 * 8192, 2 * 2048 * (4096**2 + 2 * 64 * 8192)]),
        ("cross_entropy", [8 * 1024 * (4 * 128256 + 8), 8 * 1024 * (5 * 50257 + 1) + 1]),
        ("encoder_decoder", [6 * 12 * 512**2 + 3 * 16 * 512**2 + (6 * 13 + 3 * 19) * 512 + 4 * 512,
                             6 * (28 * 1024**2 + 32 * 1024)]),
    ],
)  # fmt: skip
def test_answers_of_exercises_counted_by_hand(name, answers):
    account, chosen = example(name)
    solved = lessons.solved(Voice(ATLAS, account, chosen), text_of(name).exercises)
    assert [s.value for s in solved] == [f"{n:,}" for n in answers]


@pytest.mark.parametrize("name", OWNERS)
def test_what_is_recorded_is_about_the_definition_as_it_is(name):
    shown = demonstrations.demonstration(name)
    assert shown is not None, f"run symledger record {name}"
    assert shown.of == demonstrations.fingerprint(derive(name))
    bugs = [bug for bug in text_of(name).bugs if bug.mistake]
    assert set(shown.mistakes) == {str(bug.mistake) for bug in bugs}
    best = min((float(error) for _, error in shown.steps), default=0)
    is_exact = shown.analytic and float(shown.analytic) < 1e-10  # where many slopes jump
    assert best < (1e-6 if is_exact else 1e-7)
    for found in shown.mistakes.values():  # far from any agreement, whatever the step
        assert all(float(error) > max(1e-4, 1e4 * best) for _, error in found.steps)


def test_recording_again_gives_the_same_verdicts():
    again = demonstrated(derive("linear"))
    before = demonstrations.demonstration("linear")
    assert {n: f.kind for n, f in again.mistakes.items()} == {
        n: f.kind for n, f in before.mistakes.items()
    }
    assert [step for step, _ in again.steps] == [step for step, _ in before.steps]


def test_the_plot_has_a_title_a_description_and_its_data():
    plot = proof.plot("attention", text_of("attention").bugs)
    svg = plot.figure.svg
    assert "<title" in svg
    assert "<desc" in svg
    assert "style=" not in svg
    assert len(plot.figure.rows) == 12
    assert svg == proof.plot("attention", text_of("attention").bugs).figure.svg


def test_parts_and_users_are_read_off_the_programs():
    assert ATLAS.parts["attention"] == ("linear", "dot_product_attention")
    assert {"attention", "feed_forward"} <= set(users(ATLAS.parts, COMPONENTS["linear"]))
    assert "mini_gpt" not in users(ATLAS.parts, COMPONENTS["linear"])
    around = graph.neighbours(ATLAS, COMPONENTS["feed_forward"], text_of("feed_forward"))
    assert "pre_ln_block" in around.users
    assert graph.graph(around, Templates().say).boxes


def test_variants_change_one_thing_and_cases_have_sizes_of_their_own():
    account, _ = example("attention")
    rows = {v.label: v for v in numbers.variants(ATLAS, account)}
    assert rows["bias"].forms[0].value == "2,362,368"
    assert rows["flash"].forms[1] == rows[""].forms[1]
    assert rows["flash"].forms[2] != rows[""].forms[2]
    assert rows["multi-query"].forms[0].value == f"{2 * 768**2 + 2 * 768 * 64:,}"
    assert rows["grouped"].given.endswith("h_kv = 4")
    assert rows["grouped"].forms[0].value == f"{2 * 768**2 + 2 * 768 * 256:,}"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"before": ("liner",)}, "liner is not in the catalogue. Did you mean linear"),
        ({"example": Example({"d_inn": 64}, "")}, "d_inn is neither a symbol nor an option"),
        ({"why": "{{ n('parms') }}"}, "parms is not a quantity. Did you mean params"),
        ({"why": "{{ nn('params') }}"}, "cannot be said: 'nn' is undefined"),
        ({"bugs": (Bug("b", "", "params", "d_inn*d_out"),)}, "names d_inn, which is not a symbol"),
        ({"bugs": (Bug("b", "", "params", "d_out*(d_in + 1)"),)}, "it demonstrates nothing"),
        ({"exercises": (Exercise("?", "params", {"d_inn": 1}),)}, "d_inn is neither a symbol"),
    ],
)
def test_what_a_text_says_wrongly_is_refused_with_its_file(wrong, said, monkeypatch):
    text = replace(text_of("linear"), **wrong)
    monkeypatch.setattr(component, "text_of", lambda *_: text)
    with pytest.raises(SymledgerError, match=re.escape(said)) as refused:
        component.page(ATLAS, Templates(), COMPONENTS["linear"])
    assert str(refused.value).startswith("symledger/components/maps/texts/en/linear.toml: ")


def test_what_a_page_lacks_is_said_with_its_file(monkeypatch):
    monkeypatch.setitem(globals(), "text_of", lambda _: Text())
    file = "symledger/components/maps/texts/en/bilinear.toml"
    assert lacking.__wrapped__("bilinear") == [
        f"{file}: write a line of [intuition] for ∂W, ∂b, ∂x, ∂z",
        *(f"{file}: write {part}, as docs/extending.md says"
          for part in ("example", "bugs", "questions", "exercises")),
    ]  # fmt: skip


def test_a_component_in_no_topic_is_refused_with_the_files_to_edit():
    with pytest.raises(DefinitionError, match=r"maxout.py is in no topic: .*/atlas.py, or add"):
        topic_of(Entry("maxout", "components.maxout:Maxout"))
