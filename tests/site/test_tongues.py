"""Pages in other languages: which there are, and where their links lead."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
import yaml

from symledger.languages.coverage import coverage
from symledger.languages.language import languages, pattern
from symledger.languages.message import say
from symledger.site.generator import Site
from symledger.site.html.templating import Templates
from symledger.site.kinds import home, sources
from symledger.site.kinds.component.numbers import variants
from symledger.site.kinds.families import TEMPLATES
from symledger.site.kinds.question.answers import answer
from symledger.site.text.questions import questions
from symledger.site.text.worded import slug
from symledger.site.tongues import Tongue, foreign, speaks
from tests.every import INTEGRATING
from tests.site.whole import ATLAS

SPANISH = Tongue("es", frozenset({"index.md", "components/linear.md", "components/index.md"}))


@pytest.mark.parametrize(("path", "text", "found"), [
    ("index.md", "[a](components/linear.md#x)", "[a](components/linear.md#x)"),
    ("index.md", "[a](models/gpt2.md)", "[a](../models/gpt2.md){: hreflang=en }"),
    ("components/linear.md", "[a](../f/AB.md)", "[a](../../f/AB.md){: hreflang=en }"),
    ("components/linear.md", "```python\nmade = NORMS[kind](d)\n```\n[a](d.md)",
     "```python\nmade = NORMS[kind](d)\n```\n[a](../../components/d.md){: hreflang=en }"),
    ("components/linear.md", "`f[0](x)`, [`a`](index.md), <code>f[0](x)</code>",
     "`f[0](x)`, [`a`](index.md), <code>f[0](x)</code>"),
    ("components/linear.md", "[a](index.md) [b](#x) [c](https://a.b/c.md)",
     "[a](index.md) [b](#x) [c](https://a.b/c.md)"),
    ("components/linear.md", '<a href="../f/AB.html#y">',
     '<a href="../../f/AB.html#y" hreflang="en">'),
    ("components/linear.md", '<a href="linear_torch.py">',
     '<a href="../../components/linear_torch.py">'),
    ("components/linear.md", '<button data-link="../f/A.html">',
     '<button data-link="../../f/A.html">'),
])  # fmt: skip
def test_links_lead_to_pages_that_are_there(path, text, found):
    assert SPANISH.linked(path, text) == found
    assert Tongue().linked(path, text) == text


def test_a_language_has_pages_of_templates_that_it_says():
    assert speaks("es", "home.md.j2")
    assert not speaks("es", "axioms.md.j2")
    assert foreign() == tuple(name for name in languages() if name != "en")


def test_every_page_of_a_language_is_one_of_english():
    tongues = Site(ATLAS.memory).tongues
    assert tongues["es"].paths > {"index.md", "learn/sources.md", "notation.md", *TEMPLATES}
    assert all(path.endswith(".md") for path in tongues["es"].paths)


def test_places_cases_and_identities_are_said_in_a_language():
    (question,) = [q for q in questions() if q.of == "Linear(768, 768)" and q.ask == "params"]
    places = {say("es", place.path) for place in answer(ATLAS, question).places}
    assert places == {*(f"bloque › atención › {name}" for name in "QKVO"), "agregador › aplicación"}
    (question,) = [q for q in questions() if q.of == "Linear(1024, 4096)"]
    assert "attention (sesgo, h_kv = h" in say("es", answer(ATLAS, question).twins[0].what)
    labels = [say("es", v.label) for v in variants(ATLAS, ATLAS.account("attention"))]
    assert {"multicabeza", "multiconsulta", "atención cruzada"} <= {*labels}


def test_the_navigation_is_in_the_catalogue():
    """But for names of folders, whose pages say their own titles."""

    def titles(items):
        for item in items:
            for title, value in item.items() if isinstance(item, dict) else ():
                yield title
                yield from titles(value) if isinstance(value, list) else ()

    config = Path(__file__).parents[2] / "mkdocs.yml"
    nav = config.read_text("utf-8").partition("\nnav:\n")[2].partition("\nnot_in_nav")[0]
    found = [*titles(yaml.safe_load(nav)), "All model types"]
    assert len(found) > 20
    assert [t for t in found if pattern("en", f"nav.{slug(t)}") != t] == []
    assert [t for t in found if pattern("es", f"nav.{slug(t)}") is None] == []


NUMBER = re.compile(r"\d[\d,\u202f]*(?:\.\d+)?")


@pytest.mark.parametrize("kind", [home, sources])
def test_numbers_are_those_of_the_english_page(kind):
    (english,) = kind.pages(ATLAS, Templates())
    (spanish,) = kind.pages(ATLAS, Templates(Tongue("es", frozenset({"index.md", sources.PATH}))))
    assert spanish.path == f"es/{english.path}"
    texts = [unescape(page.merged) for page in (english, spanish)]
    numbers = [sorted(n.replace(",", "").replace("\u202f", "") for n in NUMBER.findall(text))
               for text in texts]  # fmt: skip
    assert numbers[0] == numbers[1]


MARKUP = re.compile(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>")


def test_numbers_of_built_pages_are_those_of_the_english_ones(built):
    """Of all pages that were built: models, components, lessons and questions among them."""
    pages = [f for f in (built / "es").rglob("*.html") if of_english(built, f).is_file()]
    assert len(pages) > (40 if INTEGRATING else 8)
    for file in pages:
        found, wanted = (numbers(f.read_text("utf-8")) for f in (file, of_english(built, file)))
        assert found == wanted, file.relative_to(built)


def of_english(built, file):
    return built / file.relative_to(built / "es")


def numbers(html):
    """Return the numbers of three digits or more that an article says, however they are grouped."""
    article = html.partition("<article")[2].partition("</article>")[0]
    said = NUMBER.findall(unescape(MARKUP.sub(" ", article)))
    plain = (re.sub(r"[,\u202f]", "", n).rstrip(".") for n in said)
    return {n for n in plain if len(n.partition(".")[0]) > 2}


def test_what_a_language_says_is_counted():
    areas = {area.area: area for area in coverage("es")}
    assert areas["home"].said == areas["home"].total > areas["home"].missing == 0
    assert areas["axioms"].missing > 0
    assert json.dumps(sorted(areas)) == json.dumps(list(areas))
