"""Which operations are understood: names and words, as the rules have them, a topic a file."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass

from symledger.traces.lowering import load_rules
from symledger.traces.rules.table import COMPLEX, PARTWISE, RULES, Rule


@dataclass(frozen=True)
class Understood:
    """Operations that have one rule: their names, what it says, and if it takes complex numbers."""

    names: tuple[str, ...]
    text: str
    is_complex: bool


@dataclass(frozen=True)
class Topic:
    """The rules of one file, and what they are about."""

    name: str
    text: str
    rules: tuple[Understood, ...]


def topics() -> tuple[Topic, ...]:
    """Return all rules in the order of their files, those of a file as they stand there."""
    load_rules()
    found: dict[str, dict[Rule, list[str]]] = {}
    for name, rule in (*RULES.items(), *COMPLEX.items()):
        found.setdefault(rule.__module__, {}).setdefault(rule, []).append(name)
    return tuple(
        Topic(
            module.rpartition(".")[2], said(sys.modules[module]),
            tuple(understood(rule, tuple(names)) for rule, names in rules.items()),
        )
        for module, rules in sorted(found.items())
    )  # fmt: skip


def understood(rule: Rule, names: tuple[str, ...]) -> Understood:
    """Return what one rule says of itself."""
    parts = PARTWISE.union(n for n, r in COMPLEX.items() if r is rule)
    return Understood(names, said(rule), parts.issuperset(names))


def said(documented: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]
