"""A tag is given once and for ever; the registry is up to date with the catalogue."""

import subprocess
import sys

import pytest

from symledger.errors import BadInput
from symledger.tags import registry
from symledger.tags.registry import (
    ALPHABET,
    FILE,
    LENGTH,
    PREFIX,
    Removal,
    Revision,
    Tagged,
    as_tag,
    by_tag,
    citable,
    new_tag,
    parse,
    registered,
    registered_as,
    written,
)
from symledger.tags.update import updated
from tests.citing.whole import derived
from tests.every import WHOLE

OLD = Tagged("SL-4F7K", "old.params", (Revision("0.1.0", "aa"),))


@WHOLE
def test_the_registry_is_up_to_date():
    before = parse(FILE.read_text("utf-8"))
    known, now = {tagged.id: tagged for tagged in before}, derived()
    changed = [i for i, found in now.items() if i not in known or known[i].hash != found]
    gone = [t.id for t in before if not t.removed and t.id not in now]
    revived = [t.id for t in before if t.removed and t.id in now]
    assert (changed, gone, revived) == ([], [], []), "run `symledger record tags`"


def test_the_file_is_written_as_it_would_be_written_now():
    text = FILE.read_text("utf-8")
    assert written(parse(text)) == text


def test_a_line_that_is_read_by_itself_is_that_of_the_whole_registry():
    assert {name: registered_as(name) for name in registered()} == registered()
    assert registered_as("nothing.params") is None


def test_a_registry_that_is_lost_is_named_and_not_made_anew(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "FILE", tmp_path / "tags.txt")
    with pytest.raises(BadInput, match=r"no .*tags\.txt: .* no command makes it anew"):
        registry.recorded()


def test_every_tag_is_unique_and_well_formed_removed_ones_too():
    tags = [tagged.tag for tagged in registered().values()]
    assert len(set(tags)) == len(tags) == len(by_tag())
    for tag in tags:
        assert tag.startswith(PREFIX)
        digits = tag.removeprefix(PREFIX)
        assert len(digits) == LENGTH
        assert set(digits) <= set(ALPHABET)
        assert as_tag(digits.lower()) == as_tag(tag.lower()) == tag


@WHOLE
def test_every_quantity_of_every_owner_can_be_cited():
    assert {tagged.id for tagged in citable()} == set(derived())


def test_a_new_formula_gets_the_same_tag_every_time_and_never_a_taken_one():
    first = new_tag("linear.params", [])
    second = new_tag("linear.params", [first])
    assert first == new_tag("linear.params", ["SL-0000"]) != second
    assert new_tag("linear.params", [first, second]) not in (first, second)


def test_an_update_changes_only_what_changed():
    (same,) = updated([OLD], {"old.params": "aa"}, "0.2.0")
    assert same == OLD
    (raised,) = updated([OLD], {"old.params": "bb"}, "0.2.0")
    assert (raised.tag, raised.revision, raised.hash) == (OLD.tag, 2, "bb")
    assert raised.revisions[0] == OLD.revisions[0]
    both = updated([OLD], {"old.params": "aa", "new.params": "aa"}, "0.2.0")
    assert [t.id for t in both] == ["new.params", "old.params"]
    assert both[1] == OLD


def test_the_order_of_updates_does_not_matter():
    """Two branches add formulas; merged and updated, the tags are those that each had."""
    ours, theirs = {"a.params": "1"}, {"b.params": "2"}
    merged = [*updated([OLD], {"old.params": "aa"} | ours, "0.1.0")]
    merged += [t for t in updated([OLD], {"old.params": "aa"} | theirs, "0.1.0") if t != OLD]
    both = {"old.params": "aa"} | ours | theirs
    assert updated(merged, both, "0.1.0") == updated([OLD], both, "0.1.0")


def test_a_removed_formula_leaves_a_tombstone_with_a_reason():
    with pytest.raises(BadInput, match=r"no longer has old\.params"):
        updated([OLD], {"new.params": "aa"}, "0.2.0")
    now = {"new.params": "aa"}
    gone = updated([OLD], now, "0.2.0", "renamed", "new")[1]
    assert gone.removed == Removal("0.2.0", "renamed", "new.params")
    assert str(gone) == "SL-4F7K old.params 1 0.1.0:aa removed 0.2.0 now new.params: renamed"
    assert parse(written([gone])) == [gone]
    assert gone in updated([gone], now, "0.3.0")
    with pytest.raises(BadInput, match="Did you mean new"):
        updated([OLD], now, "0.2.0", "renamed", "newer")


def test_the_tag_of_a_removed_formula_is_never_given_to_another():
    taken = new_tag("new.params", [])
    gone = Tagged(taken, "old.params", OLD.revisions, Removal("0.2.0", "no use"))
    new, _ = updated([gone], {"new.params": "aa"}, "0.3.0")
    assert new.tag != taken


def test_a_formula_that_comes_back_has_its_own_tag_again():
    gone = Tagged(OLD.tag, OLD.id, OLD.revisions, Removal("0.2.0", "no use"))
    (back,) = updated([gone], {"old.params": "bb"}, "0.3.0")
    assert (back.tag, back.removed, back.revision) == (OLD.tag, None, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SL-4F7K a.params 1 0.1.0:aa\nSL-4F7K b.params 1 0.1.0:aa", "have the tag SL-4F7K"),
        ("SL-4F7K a.params 1 0.1.0:aa\nSL-4F7J a.params 1 0.1.0:aa", "have the id a.params"),
        ("<<<<<<< HEAD", "no line of the registry"),
        ("SL-4F7K a.params 2 0.1.0:aa", "no line of the registry"),
        ("SL-4F7K a.params 0", "no line of the registry"),
        ("SL-4F7K a.params 1 0.1.0:aa removed 0.2.0", "no line of the registry"),
    ],
)
def test_a_broken_registry_is_refused(text, said):
    with pytest.raises(BadInput, match=said):
        parse(text)


def test_reading_the_registry_and_looking_up_a_tag_need_no_sympy():
    code = (
        "import sys;"
        "from symledger.citing import citable; from symledger.citing.lookup import find;"
        "assert find(citable()[0].tag)[0] == citable()[0];"
        "assert not {'sympy', 'numpy', 'rich', 'click'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)  # noqa: S603  # this interpreter
    assert done.returncode == 0, done.stderr
