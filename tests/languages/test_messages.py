"""Messages: every key that is used is said in English, and every language says the same."""

import ast
import pickle
import re
import string
from functools import cache
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

import symledger
from symledger.catalogue.entries import ENTRIES
from symledger.errors import BadInput
from symledger.languages.language import ENGLISH, filled, known, languages, pattern, regrouped
from symledger.languages.message import Message, Verbatim, joined, message, say, word
from symledger.languages.words import runs
from symledger.recording.messages import Messages, messages, read, sentences, stale
from symledger.recording.words import defined, is_defined, of_its_name, options
from symledger.site import resources
from symledger.sizes import BY_NAME

ROOT = Path(symledger.__file__).parent
SAID = ("choice", "convention", "optimizer", "part", "quantity", "recipe", "recompute", "symbol",
        "title", "unit", "words")  # fmt: skip
"""The first words of keys that Spanish says, each and every one."""
FOREIGN = [name for name in languages() if name != ENGLISH]


def keys_of(call):
    """The key of a call of ``message`` or ``word``, or a pattern where some of it is computed."""
    match call.args[0] if call.args else None:
        case ast.Constant(str(key)):
            yield re.escape(key)
        case ast.JoinedStr(parts):
            yield "".join(re.escape(p.value) if isinstance(p, ast.Constant) else r"[\w./-]+"
                          for p in parts)  # fmt: skip
        case ast.IfExp(_, one, other):
            yield from (re.escape(ast.literal_eval(key)) for key in (one, other))


def in_code():
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("message", "word"):
                yield from keys_of(node)


def in_templates():
    environment = Environment(autoescape=True)
    for path in resources.templates().rglob("*.j2"):
        tree = environment.parse(path.read_text(encoding="utf-8"))
        for call in tree.find_all(nodes.Call):
            if getattr(call.node, "name", "") == "_":
                yield "".join(
                    re.escape(part.value) if isinstance(part, nodes.Const) else r"[\w.-]+"
                    for part in getattr(call.args[0], "nodes", call.args)
                )


@cache
def every_used():
    return {*in_code(), *in_templates()}


def placeholders(sentence):
    return {name for _, name, spec, conversion in string.Formatter().parse(sentence) if name
            if not spec and not conversion}  # fmt: skip


def test_every_key_that_is_used_is_said_in_english_and_no_other():
    said = {key for key, _ in messages(read(ENGLISH))}
    used = every_used()
    patterns = re.compile("|".join(sorted(used)))
    assert {key for key in said if not patterns.fullmatch(key)} == set(), "nobody says these"
    assert {one for one in used if not any(re.fullmatch(one, key) for key in said)} == set()


def test_every_option_has_a_name_in_spanish():
    """Titles of entries are left to the test of each entry, which says the same."""
    of_entries = {f"title.{entry.name}" for entry in ENTRIES}
    keys = {key for key, _ in messages(read(ENGLISH)) if key.partition(".")[0] in SAID}
    left = {key for key in {*keys, *options()} - of_entries if pattern("es", key) is None}
    assert left == set(), "say these in symledger/languages/locale/es/LC_MESSAGES/symledger.po"


def labels():
    """The names of parts, and of weights that stand by themselves, as definitions write them."""
    for folder in ("components", "models"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    named = [k.value for k in node.keywords if k.arg == "name"]
                    weight = getattr(node.func, "id", "") == "param"
                    for found in (*named, *node.args[:weight]):
                        match found:
                            case ast.Constant(str(label)):
                                yield label


def test_every_part_that_a_definition_names_is_said():
    spelled = re.compile(r"[a-z]{3,}(_[a-z]+)*(_[A-Z])?")
    known = {f"part.{'_'.join(names)}" for label in labels() for spoken, names in runs(label)
            if spoken and spelled.fullmatch("_".join(names))}  # fmt: skip
    assert len(known) > 150
    assert {key for key in known if pattern("es", key) is None} == set()


def test_english_of_words_is_that_of_their_definitions():
    said = {key: sentences(m)[0] for key, m in messages(read(ENGLISH))}
    words = defined()
    assert {key: said.get(key) for key in words} == words, "symledger record messages"
    assert {key for key in said if is_defined(key)} == words.keys()
    assert [key for key in said if of_its_name(key) not in (None, said[key])] == []


def test_english_says_all_and_names_values_plainly():
    for key, found in messages(read(ENGLISH)):
        assert sentences(found), key
        assert all(name.isidentifier() for s in sentences(found) for name in placeholders(s)), key


@pytest.mark.parametrize("language", FOREIGN)
def test_a_translation_names_the_values_that_english_names(language):
    english = {key: sentences(m) for key, m in messages(read(ENGLISH))}
    for key, found in messages(read(language)):
        wanted = set().union(*map(placeholders, english[key]))
        for sentence in sentences(found):
            assert placeholders(sentence) | {"n"} == wanted | {"n"}, key


FOR_ONE = {"en": "has|is|takes|keeps|needs|gives", "es": "tiene|es|ocupa|guarda|necesita|da"}


@pytest.mark.parametrize("language", FOR_ONE)
def test_a_witness_of_several_layers_is_no_subject_of_a_verb_for_one(language):
    found = [s for _, m in messages(read(language)) for s in sentences(m) if "{witness}" in s]
    assert len(found) > 5
    assert [s for s in found if re.search(rf"{{witness}} (?:{FOR_ONE[language]})\b", s)] == []


@pytest.mark.parametrize("language", languages())
def test_what_is_read_is_what_translators_edited(language):
    assert Messages().fresh(language), "symledger record messages"


@pytest.mark.parametrize("language", FOREIGN)
def test_no_translation_is_of_words_that_are_said_otherwise_now(language):
    assert stale(language) == []


def test_a_message_is_english_and_knows_what_it_says():
    said = message("evidence.points", n=12345)
    assert (said, say("es", said)) == ("at 12,345 points", "en 12\u202f345 puntos")
    again = pickle.loads(pickle.dumps(said))  # noqa: S301  # made here
    assert isinstance(again, Message)
    assert (again.key, again.values) == (said.key, said.values)


@pytest.mark.parametrize(("text", "regular"), [
    ("2,362,368", "2 362 368"), ("(1,024)", "(1 024)"), ("9,449.5 MiB", "9 449.5 MiB"),
    ("a, b", "a, b"), ("Linear(768, 3072)", "Linear(768, 3072)"), ("x1,024", "x1,024"),
    ("1,2,3", "1,2,3"), ("12,3456", "12,3456"), ("1,024,", "1 024,"),
])  # fmt: skip
def test_numbers_alone_are_grouped_anew(text, regular):
    assert regrouped("es", text).replace("\u202f", " ") == regular
    assert regrouped(ENGLISH, text) == text


def test_a_word_of_somebody_s_own_is_the_same_in_every_language():
    known, own = word("symbol.d", BY_NAME["d"].meaning), word("symbol.d", "depth of a tree")
    assert say("es", known) != known
    assert (say("es", own), say("es", word("symbol.no_such", "mine"))) == (own, "mine")


def test_joined_texts_are_said_one_by_one_and_what_is_verbatim_is_not_touched():
    said = joined([message("evidence.points", n=2), "1,024"], "; ")
    assert (said, say("es", said)) == ("at 2 points; 1,024", "en 2 puntos; 1\u202f024")
    assert say("es", Verbatim("Linear(768,128)")) == "Linear(768,128)"
    for text in (said, word("unit.bytes", "bytes"), Verbatim("x")):
        again = pickle.loads(pickle.dumps(text))  # noqa: S301  # made here
        assert (type(again), again) == (type(text), text)


def test_a_key_that_is_nowhere_is_named():
    with pytest.raises(KeyError, match=r"'no\.such' stands in no catalogue"):
        filled("es", "no.such", {})
    with pytest.raises(BadInput, match="no catalogue of messages in xx"):
        known("xx")
