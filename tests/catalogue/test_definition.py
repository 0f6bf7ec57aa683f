"""What a contributor forgets about a definition is said in one sentence, with where to write it."""

import re
import sys

import pytest

import symledger.components.maps
from symledger import derive, sizes
from symledger.catalogue import definition, entries
from symledger.catalogue.entry import CATALOGUE, Entry
from symledger.errors import BadInput, DefinitionError, PatternError
from symledger.sizes import UnknownSize
from symledger.targets.resolve import resolve

LISTED = CATALOGUE["component"]
FILE = "symledger/components/maps/scratch.py"
AT = "components.maps.scratch:Twice"
WHOLE = '''
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from symledger import sizes
from symledger.notation.component import Component, steps
from symledger.notation.verbs import param


@dataclass(frozen=True)
class Twice(Component):
    """The double of everything, as far as it has learned to double."""

    d: Expr = sizes.d

    signature: ClassVar[str] = "... d -> ... d"
    title: ClassVar[str] = "twice"

    def forward(self, x):
        return steps(y=x * param("g", self.d))
'''


@pytest.fixture
def catalogued(monkeypatch, tmp_path):
    """Write a definition, list it in the catalogue, and derive it."""
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    monkeypatch.setattr(definition, "ROOT", tmp_path)
    maps = symledger.components.maps
    monkeypatch.setattr(maps, "__path__", [*maps.__path__, str(file.parent)])

    def derived(source=WHOLE, at=AT, **said):
        file.write_text(source)
        monkeypatch.setitem(entries.BY_NAME, "twice", Entry("twice", at, **said))
        return derive("twice")

    yield derived
    sys.modules.pop("symledger.components.maps.scratch", None)
    definition._loaded.cache_clear()


def test_a_definition_with_all_of_its_steps_is_derived(catalogued):
    assert str(catalogued(inputs={"x": "B d"}).params.expr) == "d"


@pytest.mark.parametrize(
    ("was", "now", "error", "said"),
    [
        ("sizes.d\n", "sizes.d_wide\n", DefinitionError,
         f"{FILE} raised UnknownSize at line 16: there is no size d_wide in symledger/sizes.py: "
         'declare it there, as in d_wide = Size("d_wide", "what it counts").'),
        ("self.d))", "sizes.d_wide))", UnknownSize, "there is no size d_wide in symledger/"),
        ("self.d))", "self.dd))", DefinitionError, f"Twice in {FILE} has no dd. Its fields: d."),
        ("import param", "import params", DefinitionError,
         f"{FILE} raised ImportError at line 9: cannot import name 'params'"),
        ("x * ", "x * (", DefinitionError, f"{FILE} raised SyntaxError at line 22: '(' was never"),
        ("class Twice", "class Thrice", DefinitionError,
         f"{FILE} has no Twice, which the entry twice of the catalogue names: write it there, or "
         f"correct the entry in {LISTED}."),
        ("(Component)", "", DefinitionError,
         f"Twice in {FILE} is no Component: write class Twice(Component)"),
        ("@dataclass(frozen=True)", "", DefinitionError,
         f"Twice in {FILE} is no frozen dataclass: write @dataclass(frozen=True) above it."),
        ("(frozen=True)", "", DefinitionError, "is no frozen dataclass"),
        (" = sizes.d\n", "\n", DefinitionError,
         f"the field d of Twice in {FILE} has no default, and an entry of the catalogue needs one: "
         "write it, as in d: Expr = sizes.d."),
        ("forward", "backward", DefinitionError,
         f"Twice in {FILE} has no forward: define what it computes."),
        ("    signature", "    signed", PatternError,
         'Twice has no signature: say what goes in and what comes out, as in signature: '
         'ClassVar[str] = "... d_in -> ... d_out".'),
        ('"... d -> ... d"', '"... d"', PatternError,
         'the signature of Twice: "... d" is not a pattern'),
        ("return steps(y=", "return (", DefinitionError, "end it with `return steps(name="),
    ],
)  # fmt: skip
def test_what_a_definition_lacks_is_said(catalogued, was, now, error, said):
    assert WHOLE.count(was) >= 1
    with pytest.raises(error, match=re.escape(said)):
        catalogued(WHOLE.replace(was, now))


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ({"at": "components.maps.scrach:Twice"},
         "there is no symledger/components/maps/scrach.py, which the entry twice of the catalogue"),
        ({"at": "components.map.scratch:Twice"}, "there is no symledger/components/map/scratch.py"),
        ({"options": {"bias": True}}, f"the option bias, which Twice in {FILE} has not. Known: d"),
        ({"inputs": {"y": "B d"}}, f"the input y, which Twice in {FILE} has not. Known: x"),
        ({"cases": ("square",)}, f"the case square, which Twice in {FILE} has not."),
    ],
)  # fmt: skip
def test_what_the_catalogue_says_wrongly_is_said(catalogued, listed, said):
    with pytest.raises(DefinitionError, match=re.escape(said)) as refused:
        catalogued(**listed)
    assert LISTED in str(refused.value)


def test_a_size_that_is_not_there_is_no_attribute_either():
    assert not hasattr(sizes, "d_wide")
    with pytest.raises(ImportError, match="d_wide"):
        from symledger.sizes import d_wide  # noqa: F401


def test_a_users_file_is_told_of_a_size_that_is_not_there(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(WHOLE.replace("sizes.d\n", "sizes.d_wide\n"))
    with pytest.raises((BadInput, UnknownSize), match=r"there is no size d_wide"):
        resolve(f"{file}:Twice")
