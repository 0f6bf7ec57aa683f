"""Every entry of the catalogue derives, with every option, and keeps the promise of its JSON."""

import importlib
import inspect
import json
import pkgutil
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import prime

import symledger.components
from symledger import derive
from symledger.accounts.schema import tree_json
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import BY_NAME, ENTRIES, find
from symledger.catalogue.entry import CATALOGUE
from symledger.catalogue.identities import IDENTITIES
from symledger.errors import BadInput, DefinitionError, UnknownTarget
from symledger.languages.language import pattern
from symledger.ledger.quantities import QUANTITIES
from symledger.notation.component import Component
from symledger.targets.resolve import resolve
from tests import every

NAMES = [entry.name for entry in ENTRIES]
SPANISH = "symledger/languages/locale/es/LC_MESSAGES/symledger.po"


def components():
    """Every class in the folder of components that computes something, with its file."""
    for found in pkgutil.walk_packages(symledger.components.__path__, "symledger.components."):
        module = importlib.import_module(found.name)
        for name, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, Component) and cls.__module__ == found.name:
                yield name, Path(module.__file__)


@every.WHOLE
def test_a_component_is_in_the_catalogue_or_part_of_what_is():
    root = Path(symledger.__file__).parent
    rooms = ("catalogue", "components", "models")
    files = (file for room in rooms for file in (root / room).rglob("*.py"))
    words = Counter(word for f in files for word in re.findall(r"\w+", f.read_text("utf-8")))
    lost = [
        f"{CATALOGUE['component']}: write an Entry for {name} of {file.relative_to(root.parent)}"
        for name, file in components() if words[name] == 1  # nothing says it but its class
    ]
    assert lost == []


def test_names_are_unique():
    twice = sorted(name for name in set(NAMES) if NAMES.count(name) > 1)
    assert twice == [], "an entry of that name is in symledger/catalogue more than once"
    assert len(NAMES) == len(BY_NAME)


@every.EVERY_CASE
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_well_formed(entry):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", entry.family)
    assert re.fullmatch(r"[a-z][a-z0-9_.-]*", entry.name)
    assert entry.kind in ("component", "model")
    assert entry.family in BY_NAME
    assert BY_NAME[entry.family].definition == entry.definition
    assert bool(entry.configuration()) == entry.configured
    assert find(entry.name) is entry
    assert entry.title or entry.load().title, f"{entry.definition} needs a title: ClassVar[str]"
    if pattern("es", f"title.{entry.name}") is None:
        pytest.fail(f"{SPANISH}: say title.{entry.name}, then run `symledger record messages`",
                    pytrace=False)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_quantity_of_every_entry_is_derived(name):
    account = every.account(name)
    for quantity in account.quantities:
        formula = account[quantity]
        assert formula.id == f"{BY_NAME[name].family}.{quantity}"
        assert formula.unit == QUANTITIES[quantity].unit
        assert formula.steps
        unbound = formula.corollary.free_symbols - account.assumed.bindings.keys()
        assert (formula.value is None) == bool(unbound)
        assert not (unbound and BY_NAME[name].configured)


@pytest.mark.parametrize("owner", every.CATALOGUE)
def test_every_single_choice_derives_and_changes_something(owner):
    plain = every.account(owner)
    toggled = {
        (option, value)
        for option, allowed in plain.target.tried.items()
        for value in allowed if value != plain.target.options[option]
    }  # fmt: skip
    for account in every.chosen(owner).values():
        made = set(account.target.options.items() - plain.target.options.items())
        toggled -= made if len(made) == 1 else set()
        assert not made or differs(account, plain), f"{made} changes no formula of {owner}"
    assert toggled == set()


def test_what_decides_a_size_changes_no_formula():
    plain = every.account("efficientnet")
    assert plain.target.deciding == {f"up_{i}" for i in range(1, 6)}
    other = derive("efficientnet", dict.fromkeys(plain.target.deciding, False))
    assert other.program.definitions != plain.program.definitions
    for quantity in plain.quantities:
        assert other[quantity].general == plain[quantity].general
        assert other[quantity].corollary == plain[quantity].corollary


@pytest.mark.parametrize("name", ["bert", "roberta", "electra"])
def test_no_decoder_scores_classes_of_the_whole(name):
    with pytest.raises(DefinitionError, match="causal with head = sequences is not supported"):
        derive(name, {"head": "sequences", "causal": True})
    with pytest.raises(BadInput, match="causal is neither a symbol nor an option of bert_class"):
        derive("bert_classifier", {"causal": True})


def differs(account, plain):
    """Whether some formula, or how others decide a size, is another one."""
    return (
        account.quantities != plain.quantities
        or account.program.definitions != plain.program.definitions
        or any(account[q].general != plain[q].general for q in plain.quantities)
        or any(charged(account, q) != charged(plain, q) for q in plain.quantities)
    )


def charged(account, quantity):
    return {kind: formula.general for kind, formula in account.causal(quantity).items()}


@pytest.mark.parametrize("name", ["mini_gtp", "Mini_GPT", "lama-7b", "gpt-2", "Linear"])
def test_an_unknown_name_is_refused_with_the_nearest(name):
    with pytest.raises(UnknownTarget, match=f"{name} is not in the catalogue. Did you mean "):
        find(name)


@pytest.mark.parametrize(
    ("word", "name"),
    [("mlp", "feed_forward"), ("MoE", "mixture_of_experts"), ("dense", "linear"),
     ("word embedding", "token_embedding"), ("SWA", "window_attention")],
)  # fmt: skip
def test_what_people_call_it_otherwise_is_named(word, name):
    with pytest.raises(UnknownTarget, match=f"Did you mean {name}"):
        find(word)


def test_identities_are_between_entries():
    for identity in IDENTITIES:
        assert identity.quantity in QUANTITIES
        for side in (identity.left, identity.right):
            assert side.name in BY_NAME
            assert side.options.keys() <= resolve(side.name).choices.keys()
            assert side.name in str(side)


# ------------------------------------------------------------------- the promise of derive --json

NUMBER = r"-?[0-9]+"
RATIONAL = rf"{NUMBER}(/[0-9]+)?"
TOP = {"schema", "target", "owner", "title", "symbols", "bindings", "assumptions", "conventions",
       "formulas", "tree"}  # fmt: skip
FORMULA = {"id", "unit", "expr", "corollary", "latex", "value", "leading", "assumptions",
           "evidence"}  # fmt: skip
LEADING = {"expr", "bound", "bound_value", "error"}
LINE = {"label", "id", "times", "expr", "value", "share", "parts"}


def evaluate(text, names):
    """The exact value of a promised expression: Python syntax over the names of the symbols."""
    exact = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"Fraction(\1)", text)
    known = {"__builtins__": {}, "Max": max, "Min": min, "Fraction": Fraction}
    return eval(exact, known, dict(names))  # noqa: S307  # our own text


def assert_rational(text):
    assert text is None or re.fullmatch(RATIONAL, text), text


def assert_line(line, expected_id, exact):
    """Assert the shape of a line and of all below it, and that they add up."""
    assert line.keys() >= LINE
    assert line["id"] == expected_id
    assert_rational(line["value"])
    assert_rational(line["share"])
    assert all(isinstance(length, str) for length in line["shape"] or ())
    total = exact(line["expr"])
    if line["parts"]:
        parts = sum(exact(part["expr"]) for part in line["parts"])
        assert total == exact(line["times"]) * parts
    for part in line["parts"]:
        assert_line(part, f"{expected_id}.{part['label']}", exact)


@pytest.mark.parametrize("name", NAMES)
def test_the_json_of_a_target_keeps_its_promise(name):
    account = every.account(name)
    shown = json.loads(json.dumps(account.to_dict()))
    assert shown.keys() >= TOP
    assert shown["schema"] == "symledger.derive/1"
    assert (shown["target"], shown["owner"]) == (name, BY_NAME[name].family)
    for symbol in shown["symbols"].values():
        assert symbol.keys() == {"meaning", "latex", "unit"}
        assert all(isinstance(text, str) and text for text in symbol.values())
    assert shown["bindings"].keys() <= shown["symbols"].keys()
    assert all(re.fullmatch("0|[1-9][0-9]*", n) for n in shown["bindings"].values())
    assert all(isinstance(text, str) for text in shown["conventions"].values())
    # symbols that are not bound get values of their own; what is assumed follows from them
    names = {s: Fraction(prime(i)) for i, s in enumerate(shown["symbols"], 1)}
    names |= {s: Fraction(n) for s, n in shown["bindings"].items()}
    for equation in shown["assumptions"]:
        symbol, right = equation.split(" = ")
        names[symbol] = evaluate(right, names)
    exact = cache(lambda text: evaluate(text, names))  # lines of a tree are often alike
    for quantity, formula in shown["formulas"].items():
        assert_formula(formula, f"{shown['owner']}.{quantity}", exact, shown["bindings"])
    trees = [tree_json(account, account[quantity]) for quantity in shown["formulas"]]
    assert shown["tree"] == trees[0]
    for tree in trees:
        assert_line(tree, shown["owner"], exact)


def assert_formula(formula, expected_id, exact, bindings):
    """Assert the shape of a formula, and that its forms and its value agree."""
    assert formula.keys() >= FORMULA
    assert formula["id"] == expected_id
    assert_rational(formula["value"])
    general, corollary = (exact(formula[form]) for form in ("expr", "corollary"))
    assert general == corollary
    assert formula["value"] is None or Fraction(formula["value"]) == corollary
    bound = set(re.findall("[A-Za-z_]+", formula["corollary"])) <= bindings.keys()
    assert (formula["value"] is not None) == bound
    leading = formula["leading"]
    if leading:
        assert leading.keys() >= LEADING
        assert_rational(leading["bound_value"])
        assert_rational(leading["error"])
        error = 1 - exact(leading["expr"]) / corollary if corollary else 0
        assert 0 <= error <= exact(leading["bound"])
        if leading["error"] is not None:
            assert bound
            assert error == Fraction(leading["error"]) <= Fraction(leading["bound_value"])


CONFIGURED = [entry.name for entry in ENTRIES if "h" in entry.configuration()]


@settings(max_examples=40)
@given(
    st.sampled_from(CONFIGURED),
    st.integers(1, 9), st.integers(1, 12), st.integers(1, 40), st.integers(1, 10**18),
)  # fmt: skip
def test_a_value_is_its_canonical_form_at_these_sizes(name, h, half, L, V):
    chosen = {"h": h, "d": 2 * h * half, "L": L, "V": V, "T": 8, "B": 3}
    if "h_kv" in find(name).configuration():
        chosen["h_kv"] = h
    account = derive(name, chosen)
    shown = account.to_dict()
    at = {s: Fraction(n) for s, n in shown["bindings"].items()}
    assert {s: at[s] for s in chosen} == chosen
    for formula in shown["formulas"].values():
        assert Fraction(formula["value"]) == evaluate(formula["expr"], at)


def test_no_checkpoint_has_the_name_of_an_entry():
    """Their files are not read where the catalogue has the name."""
    assert set(BY_NAME) & set(checkpoints()) == set()
