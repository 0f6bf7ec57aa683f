"""A second language is only data: every word of a page comes from a catalogue, or is a name."""

import json
import re
import string
from typing import get_args

import pytest

from symledger.accounts.account import derive
from symledger.accounts.compare import compare
from symledger.accounts.reuse import PUBLISHED
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import ENTRIES
from symledger.cli.main import LISTED
from symledger.components.feed_forward.nonlinearities import Function
from symledger.configs.families import READERS
from symledger.evidence.traced import traced
from symledger.explain.answer import explain
from symledger.languages import language as catalogues
from symledger.languages import message as messages
from symledger.languages.message import Word
from symledger.languages.words import part
from symledger.ledger.conventions import DTYPES
from symledger.ledger.optimizers import OPTIMIZERS
from symledger.ledger.quantities import QUANTITIES
from symledger.ledger.recipes import RECIPES
from symledger.report import answer, comparison, explanation, listing
from symledger.report import page as derivation
from symledger.sizes import BY_NAME
from symledger.torch_layers.table import LAYERS
from tests.every import CATALOGUE, COSTLY
from tests.every import account as every_account

MARKED = "xx"
WORD = re.compile(r"[^\W\d_]{2,}")
COMMAND = re.compile(r"(?:^|(?<=⟧)) *(symledger|import|layer =|print\().*?(?=⟦|$)", re.MULTILINE)
OPTION = re.compile(r"--\w+")
NUMBER_OF_UNIT = re.compile(r"(?<=\d )(?:[KMGT]i?|k)?B\b")
IDENTIFIER = re.compile(r"[\w]*(?:_|\.)[\w.{}()]+")
LETTERS = {*BY_NAME, *"⁰¹²³⁴⁵⁶⁷⁸⁹"}
NAMES = {
    *(entry.name for entry in ENTRIES), *QUANTITIES, *DTYPES, *OPTIMIZERS, *checkpoints(),
    *(layer.name for layer in LAYERS), *(layer.entry for layer in LAYERS),
    *(name for names in READERS.values() for name in names), *get_args(Function),
    *("FLOP", "MAC", "PARAMS", "FLOPS", "MACS", "MEMORY", "TRAFFIC", "INTENSITY", "ACTIVE", "max",
      "Transformer base", "Max", "floor", "ceiling", "sqrt", "torch", "nn", "byte", "config",
      "json", "shapes", "gradients", "SL"),
}  # fmt: skip
"""What is not said in any language: what is written in commands, in JSON and in formulas."""
DERIVED = [
    "mini_gpt", "attention", "latent_attention", "mixture_of_experts", "lstm", "conv2d", "dropout",
    "cross_entropy", "selective_scan", "pre_ln_decoder_block", "bert", "t5", "resnet",
    "unet", "mixtral-8x7b", "llama-3-8b", "gpt3-175b", "examples/config.json",
    "Linear(768, 3072)", "MultiheadAttention(768, 12)", "Conv2d(3, 64, 7, stride=2, padding=3)",
    "Softmax(dim=1)", "Flatten()", "Unflatten(1, (3, 4))", "Threshold(0.1, 20)", "ReLU()",
    "BatchNorm1d(64)", "Softmax2d()", "HingeEmbeddingLoss()",
]  # fmt: skip
EXPLAINED = [
    ("2362368", "", {}), ("1751715841", "", {}), ("131136", "mini_gpt", {}), ("9.01MB", "", {}),
    ("27.04MiB", "", {"d_in": "768", "d_out": "3072"}), ("124440576", "gpt2", {}),
    ("917504", "", {"d": "512", "h": "8", "d_k": "64", "d_v": "32"}), ("6.7B", "", {}),
    ("71303168 FLOP", "mini_gpt", {}), ("262144 B", "mini_gpt", {}),
]  # fmt: skip
COMPARED = [("llama-2-7b", "llama-3-8b"), ("mini_gpt", "mini_gpt"), ("gpt2", "bert-base"),
            ("Linear(768, 3072)", "Linear(768, 3072, bias=False)")]  # fmt: skip


GROUPED = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\w,])")
"""A number as English groups it; one with a letter behind it is quoted as it was published."""


@pytest.fixture
def asked(monkeypatch):
    """The keys that Spanish is asked for; a language where English stands in brackets."""
    known, keys = catalogues.pattern, set()

    def pattern(language, key, n=None):
        if language == "es":
            keys.add(key)
        if language != MARKED:
            return known(language, key, n)
        found = known("en", key, n)
        return None if found is None else bracketed(found)

    for module in (catalogues, messages):
        monkeypatch.setattr(module, "pattern", pattern)
    return keys


def bracketed(sentence):
    """Put the words of a sentence into brackets, and the values in it not."""
    return "".join(
        (f"⟦{words}⟧" if words else "") + (f"{{{name}}}" if name else "")
        for words, name, _, _ in string.Formatter().parse(sentence)
    )


def words_of(*texts):
    return {word for text in texts for word in WORD.findall(str(text))}


def is_product(word):
    """Whether a word is symbols beside each other: ``BLT²d``, but not ``set``."""
    return set(word) <= LETTERS and not (word.islower() and word.isalpha())


def check(write, keys, *names):
    """Assert that a page has no word beside those of messages, and that Spanish has them all."""
    text = write(MARKED).text()
    rest = re.sub(r"⟦[^⟧]*⟧", " ", OPTION.sub("", COMMAND.sub("", text)))
    for name in sorted({*NAMES, *names}, key=len, reverse=True):
        rest = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ", rest)
    rest = IDENTIFIER.sub(" ", NUMBER_OF_UNIT.sub(" ", rest))
    found = {word for word in words_of(rest) - words_of(*names) if not is_product(word)}
    assert sorted(found) == []
    assert GROUPED.findall(write("es").text()) == []
    said_in_spanish(key for key in keys if catalogues.pattern("en", key) is not None)


def said_in_spanish(keys):
    unsaid = sorted(key for key in keys if catalogues.pattern("es", key) is None)
    file = "symledger/languages/locale/es/LC_MESSAGES/symledger.po"
    if unsaid:
        pytest.fail(f"{file}: say {', '.join(unsaid)}, then `symledger record messages`",
                    pytrace=False)  # fmt: skip


def own_names(account):
    """The names of a target that are its own: of tensors, keys and values, cited works."""
    found = account.target.configured
    leaves = {line.label for name in account.quantities for line in account[name].line.walk()
              if line.is_leaf and not line.label.startswith("between ")}  # fmt: skip
    values = {str(v) for allowed in account.target.choices.values() for v in allowed}
    called, total = account.target.constructor, account.target.total
    return {
        *(v for v in values if catalogues.pattern("en", f"choice.is.{v.lower()}") is None),
        *((*called.values, *map(str, called.toggled())) if called else ()),
        account.target.name, account.target.entry, account.target.source,
        total.source if total else "",
        *(str(e) for side in account.equations() for e in side), *leaves,
        *(label.replace("_", " ") for label in leaves), *account.symbols,
        json.dumps(found.to_dict()) if found else "",
        *(word for vector in traced(account.target.owner) for word in (vector.name,
          vector.architecture, vector.implementation)),
    }  # fmt: skip


@COSTLY(4)
@pytest.mark.parametrize("target", DERIVED)
def test_every_word_of_a_derivation_is_said_in_the_language(target, asked):
    account = derive(target)
    names = own_names(account)
    check(lambda code: derivation.page(account, (), 3, 100, code), asked, *names)
    for quantity in ("params", "memory.saved", "flops.backward", "memory.training"):
        if quantity in account.quantities:
            check(lambda code, q=quantity: derivation.page(account, (q,), 3, 100, code), asked,
                  *names)  # fmt: skip
    if account.target.constructor:
        places = {known.source for known in PUBLISHED} | {"ResNet", "LeNet", "ViT"}
        check(lambda code: answer.page(account, (), 2, 100, code), asked, *names, *places)


@pytest.mark.parametrize("schedule", ["program", "eager"])
@pytest.mark.parametrize("quantity", ["memory.peak.train", "memory.peak.step"])
def test_every_word_of_a_peak_is_said_in_the_language(quantity, schedule, asked):
    account = derive("gpt2", schedule=schedule)
    operations = (name for m in account[quantity].moments for name in m.place.get("of", ()))
    check(lambda code: derivation.page(account, (quantity,), 2, 100, code), asked,
          *operations, "foreach", "schedule", "eager", "program", *own_names(account))  # fmt: skip


def test_every_word_about_a_recipe_is_said_in_the_language(asked):
    account = derive("gpt2", {"flash": "false"}, recipe="mixed-flash", dtype="fp16")
    assert len(account.dropped) == 2
    recipe = RECIPES["mixed-flash"]
    check(lambda code: derivation.page(account, (), 2, 100, code), asked, recipe.source, "mixed",
          *recipe.sets, *recipe.sets.values(), "false", *own_names(account))  # fmt: skip


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_part_of_a_target_has_a_name(name):
    found = every_account(name)
    lines = [*found.params.line.walk(), *found.flops_forward.line.walk()]
    labels = {line.label for line in lines if line.path and not line.is_leaf}
    parts = (text for label in labels for text in part(label).parts)
    named = {text for text in parts if isinstance(text, Word)}
    said_in_spanish(text.key for text in named if len(text) > 2)


@COSTLY(3)
@pytest.mark.parametrize(("number", "inside", "settings"), EXPLAINED)
def test_every_word_of_an_explanation_is_said_in_the_language(number, inside, settings, asked):
    unit = {"B": "bytes"}.get(number.rpartition(" ")[2], "")
    found = explain(number, inside, settings, unit)
    check(lambda code: explanation.page(found, 100, code), asked)


@pytest.mark.parametrize(("left", "right"), COMPARED)
def test_every_word_of_a_comparison_is_said_in_the_language(left, right, asked):
    found = compare(left, right)
    names = own_names(found.left) | own_names(found.right)
    check(lambda code: comparison.page(found, 100, code), asked, *names)


def test_every_word_of_the_list_is_said_in_the_language(asked):
    sources = [known.source for known in checkpoints().values()]
    entries = [known.entry for known in checkpoints().values()]
    layers = [layer.example for layer in LAYERS]
    check(lambda code: listing.page(100, LISTED, code), asked, *sources, *entries, *layers)
