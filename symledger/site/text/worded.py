"""Words of the site's data: English where they are written, and known to catalogues by their place.

The words of ``statements.toml`` stand beside the numbers that they are about; the claim of the
third statement of S1 is the word ``data.statements.S1.3.claim``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from symledger.accounts.rules_of_thumb import CROSSOVERS, RULES, Crossover, Rule
from symledger.languages.message import Word, word
from symledger.site import resources

SPOKEN: Mapping[str, frozenset[str]] = {
    "axioms": frozenset({"name", "text"}),
    "checks_of_traces": frozenset({"title", "method", "shares", "wrong", "what", "says", "here"}),
    "dialects": frozenset({
        "what", "where", "counts", "why", "why_params", "why_flops",
        "attention", "rest", "backward",
    }),
    "kinds_of_evidence": frozenset({"method", "shares", "wrong", "title"}),
    "missing": frozenset({"what", "instead"}),
    "questions": frozenset({"called", "why"}),
    "statements": frozenset({"claim", "why", "title", "about"}),
}  # fmt: skip
"""The files of data that hold words, and under which names."""


@cache
def data(name: str) -> dict[str, Any]:
    """Read a file of data, its words known by their places."""
    found: dict[str, Any] = _worded(name, resources.data(f"{name}.toml"), SPOKEN[name])
    return found


def words() -> Iterator[Word]:
    """Yield every word of the data."""
    for name in SPOKEN:
        yield from _within(data(name))
    for rule in (*RULES, *CROSSOVERS):
        yield from (named(rule), about(rule))


def named(rule: Rule | Crossover) -> Word:
    """Return what a rule of thumb, or a place where two things are equal, is called."""
    return word(f"rule.{slug(rule.name)}", rule.name)


def about(rule: Rule | Crossover) -> Word:
    """Return what it is about."""
    return word(f"rule.{slug(rule.name)}.about", rule.about)


def slug(text: str) -> str:
    """Write a name as a part of a key.

    >>> slug("Linear layers"), slug("kaplan-2020")
    ('Linear_layers', 'kaplan_2020')
    """
    return "_".join(re.findall(r"\w+", text))


def _worded(key: str, found: Any, spoken: frozenset[str]) -> Any:
    if isinstance(found, list):
        return [_worded(f"{key}.{i}", item, spoken) for i, item in enumerate(found, 1)]
    if not isinstance(found, dict):
        return found
    return {
        name: word(f"data.{key}.{slug(name)}", value) if name in spoken and isinstance(value, str)
        else _worded(f"{key}.{slug(name)}", value, spoken)
        for name, value in found.items()
    }  # fmt: skip


def _within(found: Any) -> Iterator[Word]:
    if isinstance(found, Word):
        yield found
    elif isinstance(found, dict | list):
        for item in found.values() if isinstance(found, dict) else found:
            yield from _within(item)
