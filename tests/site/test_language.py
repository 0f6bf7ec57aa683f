"""A second language is only data: every word of a page comes from a catalogue or from a text.

Here that language is English in brackets. What stands outside of brackets on a page is a word that
no catalogue could say; where two brackets follow each other within a sentence, that sentence was
joined of pieces, whose order another language would change.
"""

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
from symledger.errors import bare
from symledger.languages import language as languages
from symledger.languages import message as texts
from symledger.languages import sealing
from symledger.languages.message import joined, message, word
from symledger.ledger.conventions import DTYPES
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.ledger.peaks import PEAKS
from symledger.ledger.quantities import QUANTITIES
from symledger.site import resources
from symledger.site.atlas import Atlas
from symledger.site.html import templating
from symledger.site.kinds import KINDS, api
from symledger.site.kinds import component as components
from symledger.site.kinds import model as models
from symledger.site.kinds.model import costs
from symledger.site.mkdocs import navigation
from symledger.site.pages import Page
from symledger.site.text.speaking import numbered, speaker
from symledger.site.tongues import Tongue
from symledger.sizes import BY_NAME
from symledger.torch_layers.table import LAYERS
from tests.site.whole import ATLAS

LANGUAGE = "xx"
PAGES = 4
"""Pages of each kind, of which the first is an index where it has one."""
KINDS_OF_WORDS = [kind for kind in KINDS if kind is not api]  # docstrings are in English
NAMES = {
    *(entry.name for entry in ENTRIES), *QUANTITIES, *PEAKS, *DTYPES, *OPTIMIZERS, *BY_NAME,
    *("symledger", "SymPy", "Python", "TeX", "LaTeX", "BibTeX", "biblatex", "PyTorch", "GPT-2"),
    *checkpoints(),
    *(layer.name for layer in LAYERS), "12LhQT", "FlopCounterMode", "FLOP", "MAC",
    *("recompute=true", "Vd", "BTVd", "KV", "QK"),
    *("KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", "json", "tex", "bib", "py", "csv"),
}  # fmt: skip
DIALECTS = resources.data("dialects.toml")
REFERENCES = {
    *(paper[key] for paper in DIALECTS["papers"] for key in ("name", "title")),
    *(tool[key] for tool in DIALECTS["tools"] for key in ("name", "version")),
    *(reference for entry in ENTRIES for reference in getattr(entry.load(), "references", ())),
    *(known.source for known in checkpoints().values()), *(rule.source for rule in RULES),
    *(known.total.source for known in checkpoints().values() if known.total),
    *(costs.KAPLAN, costs.PALM, costs.HOFFMANN),
}  # fmt: skip
SPELLED = {
    part for entry in ATLAS.models for part in text_of(entry.name).name.split()
    if bare(text_of(entry.name).name) == bare(entry.name)
}  # fmt: skip
"""The proper names of models as people spell them: mini-GPT."""
EXTENSIONS = ["attr_list", "tables", "pymdownx.details", "pymdownx.superfences"]
SILENT = {"code", "pre", "math", "script", "style", "cite"}
SPOKEN = {"aria-label", "title", "alt", "data-size", "data-whole", "data-done"}
VOID = {"br", "hr", "img", "input", "path", "rect", "circle"}
WITHIN = {"a", "abbr", "b", "bdi", "code", "em", "i", "math", "span", "strong", "sub", "sup"}
"""Tags that a sentence goes on behind."""
APART = {"name", "place", "given", "units", "shape", "tools-name", "verdict", "change", "amount",
         "amount-name", "amount-value", "amount-units", "passed", "failed", "stale"}  # fmt: skip
"""Classes of what stands by itself in a line: labels, badges."""
IDENTIFIER = re.compile(r"[∂\w.-]*(_|SL-|\.csv|\.memory|\.params)[\w.-]*|≥")
WORD = re.compile(r"[^\W\d_⁰-⁾²³¹]{2,}")
FORMULA = re.compile(r"(?=\S*[\d²³⁰-⁹])[\w·′⁻]+")
"""A formula, or a number, in a drawing."""
BREAK = re.compile(r"[.:;,·|()→/?!–=×≈›+]")
"""What may stand between two messages in a line: behind it something new begins."""


def bracketed(language, key, n=None):
    """English in brackets: what a catalogue of that language would say."""
    found = PATTERN("en", key, n)
    return f"⟦{found}⟧" if language == LANGUAGE and found and found.strip() else found


PATTERN = languages.pattern


@pytest.fixture(autouse=True)
def _language(monkeypatch):
    for module in (languages, texts, sealing):
        monkeypatch.setattr(module, "pattern", bracketed)


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
    """Keeps the words outside of brackets, mathematics, code and references; sentences joined."""

    def __init__(self):
        super().__init__()
        self.silent, self.depth, self.found = [], 0, []
        self.apart, self.between, self.last, self.joined = [], None, "", []
        """What was read since the last message of a line ended, and its last letter; None where
        none did."""

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in SPOKEN and ("lang", "en") not in attrs:
                self.found += Reader.words(value)
        names = tag in SILENT or ("class", "spelled") in attrs or ("lang", "en") in attrs
        if names or (self.silent and tag not in VOID):
            self.silent.append(tag)
        apart = tag not in WITHIN or bool({*dict(attrs).get("class", "").split()} & APART)
        if tag not in VOID:
            row = ("class", "badges") in attrs
            self.apart.append("row" if row else apart or self.apart[-1:] == ["row"])
        if not self.depth and self.apart[-1:] != [False]:
            self.between = None

    def handle_endtag(self, tag):
        if self.silent and tag == self.silent[-1]:
            self.silent.pop()
        if tag not in VOID and self.apart.pop() and not self.depth:
            self.between = None

    @staticmethod
    def words(value):
        reader = Reader()
        reader.handle_data(value)
        return reader.found

    def handle_data(self, data):
        for piece in re.split("([⟦⟧])", "" if self.silent else data):
            if piece == "⟦" and not self.depth and self.between is not None:
                if self.between[1:] and not BREAK.search(self.between):
                    self.joined.append(self.between)
                self.between = None
            self.depth += {"⟦": 1, "⟧": -1}.get(piece, 0)
            if piece == "⟧" and not self.depth:
                self.between = self.last
            elif not self.depth and self.between is not None:
                self.between += piece
            self.last = piece.strip()[-1:] or self.last
            if not self.depth:
                self.found += [part for part in piece.split() if WORD.search(part)]


def read(page):
    """Read a page as a browser shows it."""
    head, _, text = page.merged.removeprefix("---\n").partition("\n---\n")
    text = LINKED.sub(r"\1", text)
    for reference in sorted(REFERENCES, key=len, reverse=True):
        text = text.replace(reference, "†")
    reader = Reader()
    reader.feed(markdown.markdown(text, extensions=EXTENSIONS))
    for line in re.findall(r"(?:title|description): (.*)", head):
        reader.between = None
        reader.handle_data(line)
    assert reader.depth == 0
    return reader


def left_in_english(reader):
    """Return the words of a page that are no names and came from no catalogue."""
    words = (IDENTIFIER.sub("", found).strip("\"'`.,;:()[]{}=·") for found in reader.found)
    return [w for w in words if WORD.search(w) and not {w, w.partition(".")[2]} & (NAMES | SPELLED)
            and not FORMULA.fullmatch(w)]  # fmt: skip


@pytest.fixture(scope="module")
def forgetful():
    """Return an atlas that remembers no page in another language: only what was derived."""
    return Atlas(_accounts=ATLAS._accounts, _defined=ATLAS._defined)


@pytest.fixture
def templates(monkeypatch):
    for module in (components, models):
        monkeypatch.setattr(module, "text_of", lambda name, language: wrapped(text_of(name)))
    return templating.Templates(Tongue(LANGUAGE, Everything()))


class Everything(frozenset):
    """The pages of a language that has all of them."""

    def __contains__(self, path):
        return True


@pytest.mark.parametrize("kind", KINDS_OF_WORDS, ids=lambda kind: kind.__name__.rpartition(".")[2])
def test_every_word_comes_from_a_catalogue_and_no_sentence_is_joined(kind, forgetful, templates):
    for page in islice(kind.pages(forgetful, templates), PAGES):
        reader = read(page)
        assert left_in_english(reader) == [], page.path
        assert reader.joined == [], page.path


def test_a_sentence_that_is_joined_is_found():
    whole = "⟦It is off by ⟧<code>3</code>⟦.⟧ ⟦A sentence.⟧ ⟦A list:⟧ ⟦one⟧, ⟦two⟧"
    joined_of = read(Page("p.md", f"---\ntitle: t\n---\n⟦Measured at⟧ {whole}\n\n⟦off⟧ x ⟦by⟧"))
    assert joined_of.joined == ["t ", "f x "]


def test_what_is_put_into_markup_is_said_when_it_is_a_page():
    cell = Markup("<td>{}</td>").format(message("parts.seed", seed=Markup("<b>7</b>")))
    listed = Markup(", ").join([word("topic.maps", "Maps"), joined([word("unit.bytes", "bytes")])])
    points = Markup("{}").format(message("parts.points", n=2))
    found = templating.Templates(Tongue(LANGUAGE))._spoken("p.md", f"{cell} {listed} {points}")
    assert found == "<td>⟦seed <b>7</b>⟧</td> ⟦Maps⟧, ⟦bytes⟧ ⟦2 points⟧"


def test_numbers_are_grouped_anew_but_not_in_code():
    page = '1,024 of `1,024` <a title="1,024" href="x.md">1,024</a> <code>1,024</code>'
    spaced = page.replace("1,024 of", "1\u202f024 of").replace(">1,024</a>", ">1\u202f024</a>")
    assert numbered(LANGUAGE, page) == spaced
    assert numbered("en", page) == page


def test_a_template_says_markup_and_escapes_what_it_is_given():
    say = speaker("en")
    assert say("component.found_by", check="<x>", detail=Markup("<b>")) == (
        "Made on purpose, it is found by <strong>&lt;x&gt;</strong>: <b>."
    )


def test_the_theme_and_the_navigation_speak_it_too():
    theme = {"palette": [{"toggle": {"name": "Light; change to dark"}}]}
    navigation.localized(theme, LANGUAGE)
    name = "⟦Light; change to dark⟧"
    toggle = {"name": name, "english": "Light; change to dark"}
    assert theme == {"language": LANGUAGE, "palette": [{"toggle": toggle}]}
    assert navigation.say(LANGUAGE, "Home") == "⟦Home⟧"
