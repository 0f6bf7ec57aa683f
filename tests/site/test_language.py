"""A second language is only data: every word of a page comes from a catalogue or from a text."""

import re
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from itertools import islice

import markdown
import pytest
from markupsafe import Markup

from symledger.accounts.rules_of_thumb import RULES
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.texts import text_of
from symledger.ledger.conventions import DTYPES, OPTIMIZERS
from symledger.ledger.quantities import QUANTITIES
from symledger.site import generator, resources
from symledger.site.atlas import Atlas
from symledger.site.generator import Site
from symledger.site.html import templating
from symledger.site.kinds import KINDS, api
from symledger.site.kinds import component as components
from symledger.site.kinds import model as models
from symledger.site.kinds.model import costs
from symledger.site.mkdocs import navigation
from symledger.site.text.messages import Messages, said
from symledger.sizes import BY_NAME
from symledger.torch_layers.table import LAYERS
from tests.site.whole import ATLAS

LANGUAGE = "xx"
PAGES = 4
"""Pages of each kind, of which the first is an index where it has one."""
KINDS_OF_WORDS = [kind for kind in KINDS if kind is not api]  # docstrings are in English
NAMES = {
    *(entry.name for entry in ENTRIES), *QUANTITIES, *DTYPES, *OPTIMIZERS, *BY_NAME,
    *("symledger", "SymPy", "Python", "TeX", "LaTeX", "BibTeX", "biblatex", "PyTorch", "GPT-2"),
    *checkpoints(),
    *(layer.name for layer in LAYERS), "12LhQT", "FlopCounterMode",
    *("KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", "json", "tex", "bib", "py", "csv"),
}  # fmt: skip
DIALECTS = resources.data("dialects.toml")
REFERENCES = {
    *(paper[key] for paper in DIALECTS["papers"] for key in ("name", "title")),
    *(tool[key] for tool in DIALECTS["tools"] for key in ("name", "version")),
    *(reference for entry in ENTRIES for reference in getattr(entry.load(), "references", ())),
    *(known.source for known in checkpoints().values()), *(rule.source for rule in RULES),
    *(costs.KAPLAN, costs.PALM, costs.HOFFMANN),
}  # fmt: skip
EXTENSIONS = ["attr_list", "tables", "pymdownx.details", "pymdownx.superfences"]
SILENT = {"code", "pre", "math", "script", "style", "cite"}
SPOKEN = {"aria-label", "title", "alt", "data-size", "data-whole", "data-done"}
VOID = {"br", "hr", "img", "input", "path", "rect", "circle"}
IDENTIFIER = re.compile(r"[∂\w.-]*(_|SL-|\.csv|\.memory|\.params)[\w.-]*|≥")
WORD = re.compile(r"[^\W\d_]{2,}")


class Wrapping(Messages):
    """A catalogue that puts every message into brackets."""

    def __bool__(self):
        return True

    def get(self, text, default):
        return f"⟦{default}⟧" if text.strip() else text


def wrapped(text):
    """Put all words of a text of a component into brackets."""
    if isinstance(text, str):
        return f"⟦{text}⟧" if text else text
    if isinstance(text, tuple):
        return tuple(map(wrapped, text))
    if isinstance(text, dict):
        return {name: wrapped(words) for name, words in text.items()}
    if not is_dataclass(text):
        return text
    kept = ("before", "quantity", "wrong", "options", "mistake", "settings", "target", "name")
    spoken = (f.name for f in fields(text) if f.name not in kept)
    return replace(text, **{name: wrapped(getattr(text, name)) for name in spoken})


LINKED = re.compile(r"\[([^\]]+)\]\(https://[^)\s]*\)")
"""A work that is referred to, with its address."""


class Reader(HTMLParser):
    """Keeps the words outside of brackets, mathematics, code and references."""

    def __init__(self):
        super().__init__()
        self.silent, self.depth, self.found = [], 0, []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in SPOKEN:
                self.handle_data(value)
        names = tag in SILENT or ("class", "spelled") in attrs
        if names or (self.silent and tag not in VOID):
            self.silent.append(tag)

    def handle_endtag(self, tag):
        if self.silent and tag == self.silent[-1]:
            self.silent.pop()

    def handle_data(self, data):
        for piece in re.split("([⟦⟧])", "" if self.silent else data):
            self.depth += {"⟦": 1, "⟧": -1}.get(piece, 0)
            if not self.depth:
                self.found += [part for part in piece.split() if WORD.search(part)]


def left_in_english(page):
    """Return the words of a page that are no names and came from no catalogue."""
    head, _, text = page.merged.removeprefix("---\n").partition("\n---\n")
    text = LINKED.sub(r"\1", text)
    for reference in sorted(REFERENCES, key=len, reverse=True):
        text = text.replace(reference, "†")
    reader = Reader()
    reader.feed(markdown.markdown(text, extensions=EXTENSIONS))
    reader.handle_data(" ".join(re.findall(r"(?:title|description): (.*)", head)))
    assert reader.depth == 0
    words = (IDENTIFIER.sub("", word).strip("\"'`.,;:()[]{}=·") for word in reader.found)
    return [w for w in words if WORD.search(w) and not {w, w.partition(".")[2]} & NAMES]


@pytest.fixture(scope="module")
def forgetful():
    """Return an atlas that remembers no page in another language: only what was derived."""
    return Atlas(_accounts=ATLAS._accounts, _defined=ATLAS._defined)


@pytest.fixture
def templates(monkeypatch):
    monkeypatch.setattr(templating, "messages", lambda language: Wrapping())
    for module in (components, models):
        monkeypatch.setattr(module, "text_of", lambda name, language: wrapped(text_of(name)))
    return templating.Templates(LANGUAGE)


@pytest.mark.parametrize("kind", KINDS_OF_WORDS, ids=lambda kind: kind.__name__.rpartition(".")[2])
def test_every_word_comes_from_a_catalogue(kind, forgetful, templates):
    for page in islice(kind.pages(forgetful, templates), PAGES):
        assert left_in_english(page) == [], page.path


def test_a_message_is_found_without_its_numbers():
    known = Messages({"at {} points": "an {} Stellen", "at 1 point": "an einer Stelle"})
    assert said(known, "at 1 point") == "an einer Stelle"
    assert said(known, "at 1,024 points") == "an 1,024 Stellen"
    assert said(known, "at GPT-2 points") == "at GPT-2 points"


def test_words_within_markup_are_messages_and_code_is_not():
    known = Messages({"with": "mit", "the result": "das Ergebnis", "x": "y"})
    found = "<p>with <math><mi>with</mi><mtext>the result</mtext></math></p><code>with</code>"
    spoken = "<p>mit <math><mi>with</mi><mtext>das Ergebnis</mtext></math></p><code>with</code>"
    assert said(known, Markup(found)) == spoken  # noqa: S704  # markup of ours


def test_a_language_without_a_catalogue_stays_in_english():
    assert said({}, "with") == "with"
    assert Site(LANGUAGE).say("Home") == "Home"


def test_the_theme_and_the_navigation_speak_it_too(monkeypatch):
    monkeypatch.setattr(generator, "messages", lambda language: Messages(Home="Anfang"))
    site, theme = Site(LANGUAGE), {"palette": [{"toggle": {"name": "Home"}}]}
    navigation.localized(theme, site)
    assert theme == {"language": LANGUAGE, "palette": [{"toggle": {"name": "Anfang"}}]}
    assert navigation.expanded([{"Home": "index.md"}], site) == [{"Anfang": "index.md"}]
