"""Which components are parts of which: read off the programs of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.entry import Entry
from symledger.ir.tensor import Program, Scope

Parts = Mapping[str, tuple[str, ...]]


@cache
def first_names() -> Mapping[type, str]:
    """Return the name in the catalogue of each component; the first where it has several."""
    found: dict[type, str] = {}
    for entry in ENTRIES:
        found.setdefault(entry.load(), entry.name)
    return found


def parts(programs: Iterable[tuple[Entry, Program]]) -> Parts:
    """Return for each owner the components that it is directly made of, in editorial order.

    A part that is in the catalogue several times (attention of a sequence to itself) goes by its
    first name; one that is not in the catalogue is looked through.
    """
    first = first_names()
    order = {entry.name: i for i, entry in enumerate(ENTRIES)}
    found: dict[str, tuple[str, ...]] = {}
    for entry, program in programs:
        names = {name for scope in _scopes(program) if (name := _direct(scope, program, first))}
        found[entry.name] = tuple(sorted(names - {entry.name}, key=order.__getitem__))
    return found


def _scopes(program: Program) -> set[Scope]:
    found: set[Scope] = set()
    for body in program.bodies:
        for t in body.tensors:
            at: Scope | None = t.scope
            while at is not None and at not in found:
                found.add(at)
                at = at.parent
    return found - {program.scope}


def _direct(scope: Scope, program: Program, first: Mapping[type, str]) -> str:
    """The name of a part, where nothing of the catalogue lies between it and the whole."""
    name = first.get(type(scope.component), "")
    above = scope.parent
    while name and above is not None and above is not program.scope:
        if type(above.component) in first:
            return ""
        above = above.parent
    return name


def users(made_of: Parts, entry: Entry) -> tuple[str, ...]:
    """Return the owners that have a component as a direct part, under any of its names."""
    same = {other.name for other in ENTRIES if other.load() is entry.load()}
    return tuple(n for n, names in made_of.items() if n not in same and same & set(names))
