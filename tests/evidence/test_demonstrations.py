"""What checks saw, recorded for the pages: every word of it is one that a language can say."""

from symledger.catalogue.entries import ENTRIES
from symledger.evidence.demonstrations import demonstration
from symledger.languages.message import Message, say

OWNERS = {entry.family for entry in ENTRIES}


def test_whatever_a_check_saw_is_a_message():
    known = [found for owner in OWNERS if (found := demonstration(owner))]
    seen = [mistake.seen for one in known for mistake in one.mistakes.values()]
    assert len(seen) > 100
    parts = [part for text in seen for part in text.parts]
    assert [part for part in parts if not isinstance(part, Message)] == []


def test_it_reads_as_it_was_recorded_and_in_another_language():
    (found,) = demonstration("linear").mistakes.values()
    assert found.seen == found.detail
    assert say("es", found.seen) == found.detail.replace(" is ", " se desvía ").replace(" away", "")
