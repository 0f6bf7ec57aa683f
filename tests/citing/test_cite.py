"""`symledger cite`: what it writes can be pasted, parsed and compiled, and says what it must."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import symledger
from symledger import derive
from symledger.accounts.account import Account
from symledger.catalogue import entries as catalogue
from symledger.citing import lookup
from symledger.citing.citation import AUTHOR, cite
from symledger.errors import BadInput, CheckFailed
from symledger.ledger.quantities import QUANTITIES
from symledger.report import citation
from symledger.tags import registry
from symledger.tags.registry import Removal, Revision, Tagged, citable
from tests.citing.whole import citations
from tests.every import WHOLE, share
from tests.invoke import assert_answers, assert_refuses, run

ROOT = Path(symledger.__file__).parent.parent
FORMS = ("text", "bibtex", "biblatex", "latex", "markdown", "json")
TAG = next(tagged.tag for tagged in citable() if tagged.id == "mini_gpt.params")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "name",
    ["mini_gpt.params", "gpt3-175b.flops.backward", "conv2d.flops.forward", "activation.params",
     "llama.intensity.forward", TAG, TAG.lower(), TAG.removeprefix("SL-")],
)  # fmt: skip
def test_every_format_names_formula_tag_revision_and_version(name, form):
    result = run("cite", name, "--format", form)
    assert (result.code, result.err) == (0, "")
    tagged = cite(name).tagged
    said = result.out.replace("\\", "") if form != "json" else result.out
    for text in (tagged.id, tagged.tag, symledger.__version__, str(tagged.revision)):
        assert text in said
    assert "http" not in result.out
    assert "doi" not in result.out.lower()


@pytest.mark.parametrize("form", FORMS)
def test_an_address_is_shown_where_a_site_is_named(form):
    page = f"https://example.org/s/f/{TAG.removeprefix('SL-')}.html"
    for base in ("https://example.org/s", "https://example.org/s/"):
        assert page in run("cite", TAG, "--format", form, "--site-url", base).out


def test_a_configuration_evaluates_the_formula_of_its_family():
    owner, configuration = cite("gpt2.params"), cite("gpt3-175b.params")
    assert owner.tagged == configuration.tagged
    assert configuration.formula.value == derive("gpt3-175b").params.value
    assert f"{configuration.formula.value:,}" in run("cite", "gpt3-175b.params").out


def test_json_is_the_same_by_either_spelling():
    result = run("cite", "conv2d.flops.forward", "--json")
    assert result == run("cite", "conv2d.flops.forward", "--format", "json")
    found = json.loads(result.out)
    assert found["schema"] == "symledger.cite/1"
    assert found["url"] is None
    assert [entry["hash"] for entry in found["history"]][-1] == found["hash"]
    assert {"H_o", "W_o"} <= set(found["definitions"])


def test_derive_shows_the_tag():
    found = json.loads(run("derive", "mini_gpt", "--json").out)
    assert found["formulas"]["params"]["tag"] == TAG
    assert f"symledger cite {TAG}" in run("derive", "mini_gpt").out
    assert "symledger cite" not in run("derive", "examples/my_model.py:AdaptedGPT").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["mini_gpt.parms"], 3, "Did you mean mini_gpt.params"),
        (["minigpt.params"], 3, "Did you mean mini_gpt.params"),
        (["gpt3-175b.param"], 3, "Did you mean gpt3-175b.params"),
        (["linear.memory.kv_cache"], 3, "not a formula of linear"),
        (["mini_gpt"], 3, "as in mini_gpt.params"),
        (["gpt2"], 3, "as in gpt2.params"),
        (["SL-"], 3, "Did you mean SL-"),
        (["SL-" + "U" * 99], 3, "the tag of no formula"),
        ([""], 3, "nothing is neither"),
        (["a\nb"], 3, "a b is neither"),
        (["some/where.params"], 3, "is of a file"),
        (["examples/config.json.params"], 3, "as in llama.params"),
        (["$(touch canary)"], 3, "is neither"),
        ([], 2, "Missing argument"),
        ([TAG, "--format", "endnote"], 2, "--format"),
        ([TAG, "--site-url", "javascript:alert(1)"], 2, "is not the address of a site"),
        ([TAG, "--site-url", "https://a.org/}"], 2, "is not the address of a site"),
    ],
)
def test_refusals(arguments, code, said):
    assert_refuses("cite", *arguments, code=code, said=re.escape(said))


def test_a_removed_formula_says_why_and_what_took_its_place(monkeypatch):
    gone = Tagged("SL-0000", "dense.params", (Revision("0.1.0", "aa"),),
                  Removal("0.2.0", "it is called linear", "linear.params"))  # fmt: skip
    table = {**registry.registered(), gone.id: gone}
    monkeypatch.setattr(lookup, "registered", lambda: table)
    monkeypatch.setattr(lookup, "by_tag", lambda: {t.tag: t for t in table.values()})
    now = table["linear.params"]
    for name in ("dense.params", "SL-0000", "oooo"):
        assert_refuses("cite", name, code=3, said=(
            "SL-0000, dense.params, was removed in symledger 0.2.0: it is called linear. "
            f"In its place: {now.tag}, linear.params."))  # fmt: skip


def test_a_formula_that_is_not_what_was_registered_is_not_cited(monkeypatch):
    monkeypatch.setattr(Account, "tag", lambda self, name: None)
    with pytest.raises(CheckFailed, match=r"symledger record tags"):
        cite("linear.params")
    with pytest.raises(BadInput, match=r"other choices than llama\.params"):
        cite("llama-7b.params")


HOLDS = "for all sizes that are whole numbers of at least 1"


def long_bibtex(found):
    return citation.bibtex(found, long=True)


def long_biblatex(found):
    return citation.biblatex(found, long=True)


ENTRIES = (citation.bibtex, long_bibtex, citation.biblatex, long_biblatex)


def fields_of(entry):
    lines = entry.split("\n")[1:-2]
    return dict(re.fullmatch(r"  (\w+) = \{(.*)\},?", line).groups() for line in lines)


@WHOLE
def test_no_citation_needs_letters_that_tex_lacks():
    for write in (citation.latex, *ENTRIES):
        for found in share(citations(), 10):
            assert write(found).isascii(), found.tagged.id


def balanced(text: str) -> bool:
    depth = 0
    for c in re.sub(r"\\[{}]", "", text):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if depth < 0:
            return False
    return depth == 0


@WHOLE
@pytest.mark.parametrize("write", ENTRIES)
def test_every_entry_is_one_entry_of_fields_between_braces(write):
    long = write in (long_bibtex, long_biblatex)
    for found in share(citations(), 10):
        entry = write(found)
        head, *_, end, rest = entry.split("\n")
        kind = {"bibtex": "misc", "biblatex": "software"}[write.__name__.removeprefix("long_")]
        assert (head, end, rest) == (f"@{kind}{{symledger:{found.tagged.tag},", "}", "")
        fields = fields_of(entry)
        assert tuple(fields)[:2] == ("author", "title")
        assert ("note" in fields, "annotation" in fields) == (long, not long)
        assert all(balanced(value) and value for value in fields.values())


@WHOLE
def test_a_short_entry_prints_neither_formula_nor_conventions():
    for found in share(citations(), 10):
        for write in (citation.bibtex, citation.biblatex):
            fields = fields_of(write(found))
            said = fields_of(ENTRIES[ENTRIES.index(write) + 1](found))
            assert fields.pop("annotation") == said["note"]
            printed = " ".join(fields.values())
            assert "$" not in re.sub(r"\$(\\cdot|\\times|-|\^2)\$", "", printed)
            assert len(printed) < 4 * 80, found.tagged.id


@pytest.mark.parametrize(
    ("name", "form", "assumed"),
    [
        ("mini_gpt.params", "12Ld² + 2Ld + Vd + d", "d_h = d/h, d_ff = 4d"),
        ("attention.flops.forward", "4BT²d + 8BTd²", "h_kv = h, d_k = d/h, d_v = d/h, S = T"),
        ("gated_feed_forward.params", "3d·d_ff", ""),
    ],
)
def test_the_form_that_the_page_shows_comes_first_with_what_it_assumes(name, form, assumed):
    found = cite(name)
    assert found.formula.text == form
    lines = [line.strip() for line in run("cite", name).out.splitlines()]
    first = lines.index("") + 1
    assert lines[first] == f"{form}   {found.formula.unit}"
    assert lines[first + 1] == (f"with {assumed}" if assumed else HOLDS)
    assert f"&= {found.formula.latex} \\label" in citation.latex(found)
    general = f"{found.general.latex}$"
    for write in (citation.latex, citation.markdown, *ENTRIES):
        said = write(found)
        (before,) = {"&= ", "$$", "= {$"} & set(re.findall(r"&= |\$\$(?=.)|= \{\$", said))
        assert said.split(before, 1)[1].startswith(found.formula.latex)
        assert (f"n general: ${general}" in said) == bool(assumed)


def test_a_ratio_is_shown_first_under_its_assumptions_too():
    found = cite("llama.intensity.forward")
    assert found.first.text == found.formula.text
    assert ") / (" in found.first.text
    shown = " ".join(run("cite", "llama.intensity.forward").out.split())
    assert shown.index(found.formula.text) < shown.index("in general: (")


@pytest.mark.parametrize("form", ["bibtex", "biblatex"])
@pytest.mark.parametrize("site", [(), ("--site-url", "https://example.org/a_b")])
def test_an_entry_says_title_tag_revision_version_and_address(form, site):
    entry = run("cite", TAG, "--format", form, *site).out
    printed = entry[: entry.index("  annotation = ")].replace("\\", "")
    for said in ("mini_gpt.params: unique parameters", TAG, "evision 1", "{symledger",
                 symledger.__version__):  # fmt: skip
        assert said in printed
    address = f"https://example.org/a_b/f/{TAG.removeprefix('SL-')}.html"
    assert printed.count(address) == printed.count("http") == len(site[:1])


@pytest.mark.parametrize("form", ["text", "latex", "markdown", "json"])
def test_only_an_entry_is_long(form):
    assert_refuses("cite", TAG, "--long", "--format", form, said="--long is about entries")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("style", ["plain", "unsrt", "abbrv", "alpha", "plainnat"])
def test_what_styles_print_of_a_short_entry_is_short(style, tmp_path):
    names = ("mini_gpt.params", "conv2d.flops.forward", "llama.intensity.forward")
    cited = [cite(name, "https://example.org/symledger") for name in names]
    (tmp_path / "all.bib").write_text("\n".join(map(citation.bibtex, cited)))
    natbib = r"\usepackage[numbers]{natbib}" if style == "plainnat" else ""
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass{{article}}{natbib}\begin{{document}}\nocite{{*}}"
        rf"\bibliographystyle{{{style}}}\bibliography{{all}}\end{{document}}"
    )
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex):
        done = subprocess.run(  # noqa: S603  # our own command
            command, cwd=tmp_path, capture_output=True, text=True, errors="replace"
        )
        assert done.returncode == 0, done.stdout[-2000:]
    written = " ".join((tmp_path / "paper.bbl").read_text().split())
    items = re.split(r"\\bibitem", written)[1:]
    assert len(items) == len(cited)
    for item in items:
        (one,) = (c for c in cited if c.tagged.tag in item)
        assert one.source in item
        assert item.count(one.url) == 1
        assert "$" not in item
        assert "nnotation" not in item


@WHOLE
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_every_citation_compiles_and_every_entry_is_read_by_bibtex(tmp_path):
    known = citations()
    alike = ([one for one in known if one.tagged.quantity == asked] for asked in QUANTITIES)
    cited = [each for group in alike for each in share(group, 20)]
    cited.append(cite("mini_gpt.memory.peak.train"))
    fragments = "\n".join(citation.latex(found) for found in cited)
    (tmp_path / "all.bib").write_text("\n".join(map(long_bibtex, cited)))
    (tmp_path / "paper.tex").write_text(
        r"\documentclass{article}\usepackage{amsmath}\begin{document}\nocite{*}" + fragments
        + r"\bibliographystyle{plain}\bibliography{all}\end{document}"
    )  # fmt: skip
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex):
        done = subprocess.run(  # noqa: S603  # our own command
            command, cwd=tmp_path, capture_output=True, text=True, errors="replace"
        )
        assert done.returncode == 0, done.stdout[-2000:]
        assert "warning--" not in done.stdout.lower()
    written = (tmp_path / "paper.bbl").read_text()
    assert written.count(r"\bibitem") == len(cited)


def test_a_peak_is_cited_by_the_fingerprint_of_its_moments():
    found = cite("gpt2-medium.memory.peak.train")
    assert found.tagged.id == "gpt2.memory.peak.train"
    assert not found.has_tag
    assert found.url is None
    data = found.to_dict()
    assert (data["tag"], data["hash"]) == (None, found.tagged.hash)
    assert data["holds_where"] == ["L >= 4"]
    assert data["value"] == str(derive("gpt2-medium")["memory.peak.train"].value)
    assert data["corollary"] == derive("gpt2-medium")["memory.peak.train"].to_dict()["corollary"]
    assert data["expr"].count("Max(") == 1
    others = map(cite, ("gpt2-medium.memory.peak.decode", "mini_gpt.memory.peak.train"))
    assert found.tagged.hash not in {other.tagged.hash for other in others}


def test_what_is_asked_for_by_name_is_cited_too():
    touched = [cite(f"mixtral-8x7b.experts.touched.{how}") for how in ("least", "most", "expected")]
    assert len({one.tagged.hash for one in touched}) == 3  # one polynomial, and three numbers E_t
    data = touched[1].to_dict()
    assert (data["id"], data["value"]) == ("mixtral.experts.touched.most", "64")
    assert data["bindings"] == {"E_t": "2", "L": "32"}
    assert cite("llama.params.trained").general == cite("llama.params").general
    with pytest.raises(BadInput, match="none of its weights are of routed experts"):
        cite("gpt2.experts.touched.most")


def test_a_peak_is_the_same_whatever_configuration_names_it():
    assert cite("gpt2-xl.memory.peak.train").tagged == cite("gpt2.memory.peak.train").tagged


def test_the_citation_file_is_about_this_package():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(found)  # what CFF 1.2 asks for
    assert found["cff-version"] == "1.2.0"
    assert found["version"] == symledger.__version__ == project["version"]
    assert found["authors"] == project["authors"] == [{"name": AUTHOR}]
    assert (found["title"], found["license"]) == (project["name"], project["license"])
    assert found["abstract"] == project["description"]
    assert found["keywords"] == project["keywords"]
    assert not {"doi", "url", "date-released", "identifiers"} & set(found)


def test_the_page_of_a_formula_is_where_the_tag_says():
    assert cite(TAG).tagged.page == f"f/{TAG.removeprefix('SL-')}.html"


def test_every_entry_of_the_catalogue_is_cited_as_its_family():
    for entry in catalogue.ENTRIES:
        assert cite(f"{entry.name}.params").tagged.id == f"{entry.family}.params"
    assert_answers("cite", "vgg16.params")
