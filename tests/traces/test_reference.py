"""The reference of operations says of every rule whose it is and what it does."""

from symledger.traces.reference import topics
from symledger.traces.rules.table import COMPLEX, RULES


def test_every_rule_is_in_it_once_with_what_it_says():
    found = topics()
    names = [name for topic in found for rule in topic.rules for name in rule.names]
    assert sorted(names) == sorted([*RULES, *COMPLEX])
    said = {rule.names: rule.text for topic in found for rule in topic.rules}
    assert [names for names, text in said.items() if not text.endswith(".")] == []
    assert all(topic.text and topic.rules for topic in found)


def test_what_takes_complex_numbers_is_marked():
    marked = {name for topic in topics() for r in topic.rules if r.is_complex for name in r.names}
    assert {"aten.view", "aten.mul", "aten._conj"} <= marked
    assert {"aten.exp", "linear", "attention"}.isdisjoint(marked)
