"""Configurations that nobody published, drawn for every type, against the implementation.

A published configuration is one point of a family. These begin with the defaults of the class
that the implementation has for a type, with few layers, and change some keys at random: sizes,
choices, names, lists. Whatever is read here has to be what is built there, tensor by tensor, with
its FLOPs; what is refused here, or fails there, is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal

from symledger.accounts.account import Account, derive
from symledger.checks.traced.vectors import LAYERS, shallow
from symledger.checks.transformers.comparison import witnessed
from symledger.config_keys.family import Family, facts
from symledger.configs.document import Document
from symledger.configs.families import every_family
from symledger.errors import BadInput, SymledgerError, nearest, shown

Outcome = Literal["same", "different", "refused", "unbuilt"]
DEEPEST = 4
"""At most so many layers are drawn, where they are no list."""
CHANGED = 3
"""At most so many other keys are changed at once."""
OF_THESE = ("num_kv_shared_layers",)
"""Keys that say how many of the layers are of a kind: of few layers none or one is."""
LEAST = 3
"""Whole numbers up to this one are numbers of things, and are drawn among such."""


@dataclass(frozen=True)
class Drawn:
    """A configuration that was drawn, and what came of it.

    ``refused`` is what is not read here, and ``unbuilt`` what the implementation does not build;
    of what is ``different`` the ``detail`` says what each gives. ``compared`` are the quantities.
    """

    document: Document
    outcome: Outcome
    detail: str = ""
    compared: tuple[str, ...] = ()


def types(asked: tuple[str, ...] = ()) -> dict[str, Family]:
    """Return the types of transformers that are read, or those that are asked for.

    Raises:
        BadInput: one is not read.
    """
    known = {f.model_type: f for f in every_family() if f.library == "transformers" and not f.like}
    for name in asked:
        if name not in known:
            raise BadInput(f"{shown(name)} is no model_type that is read. {nearest(name, known)}")
    return {name: known[name] for name in asked or sorted(known)}


def drawn(family: Family, number: int, seed: int = 0) -> Iterator[Drawn]:
    """Draw as many configurations of a type, and compare each; the same ones for the same seed."""
    for n in range(number):
        random = Random(f"{family.model_type} {seed} {n}")  # noqa: S311  # nothing secret is drawn
        yield compared(_document(family, random))


def compared(document: Document) -> Drawn:
    """Compare one configuration with the implementation, as far as both know it."""
    try:
        account = derived(document)
    except SymledgerError as error:
        return Drawn(document, "refused", str(error))
    seen: list[str] = []
    try:
        for found in witnessed(account):
            if not found.passed:
                return Drawn(document, "different", f"{found.quantity}: {found.detail}")
            seen.append(found.quantity)
    except SymledgerError as error:
        return Drawn(document, "refused" if seen else "unbuilt", str(error), tuple(seen))
    except Exception as error:  # whatever running the implementation raises
        if not seen:
            raise
        return Drawn(document, "same", f"{type(error).__name__}: {error}", tuple(seen))
    return Drawn(document, "same", compared=tuple(seen))


def derived(document: Document) -> Account:
    """Return the account of a configuration as a file would give it.

    Raises:
        SymledgerError: it is not read.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return derive(str(path))


def _document(family: Family, random: Random) -> dict[str, Any]:
    """Draw a configuration: a class, a few layers, and some keys that are not as by default."""
    architecture = random.choice([*family.builds])
    plain = shallow(family, {family.key: family.model_type, "architectures": [architecture]})
    found = _changed(family, dict(plain), random)
    for name, part in family.parts.items():
        inside = dict(found.get(name) or {})
        if random.random() < 0.5:
            named = {"model_type": part.model_type, **inside}
            found[name] = _changed(part.part(named), named, random)
    return found


def _changed(family: Family, document: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return a configuration, or a part of one, with few layers and some keys changed."""
    keys = family.facts["keys"]
    deep = [n for n, use in family.uses.items() if set(use.called(n)) & set(LAYERS)]
    for name in deep:
        if type(document.get(name, keys.get(name))) is int:
            document[name] = random.randint(1, DEEPEST)
    for name in OF_THESE:
        if name in family.uses and keys.get(name):
            document[name] = random.randint(0, 1)
    others = [n for n in keys if n in family.uses and n not in (*deep, family.key, *family.parts)]
    for name in random.sample(others, min(len(others), random.randint(1, CHANGED))):
        value = document.get(name, keys[name])
        document[name] = _other(name, value, family.facts["types"].get(name, ""), random)
    return document


def _other(name: str, value: Any, types: str, random: Random) -> Any:
    """Return another value of a key, of the kind of the one that it has."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        if value <= LEAST:
            return random.randint(0, LEAST + 1)
        return random.choice([value // 2, value // 4, value * 2, value + 1, random.randint(1, 8)])
    if isinstance(value, float):
        return random.choice([0.0, 0.25, value / 2, value * 2, 1.0])
    if isinstance(value, str):
        return random.choice(sorted(_texts(name) | {value}))
    if isinstance(value, list) and value:
        return _listed(name, value, random)
    if value is None and "int" in types:
        return random.choice([1, 2, 4, 8, 16])
    if value is None and "bool" in types:
        return random.choice([False, True])
    return value


def _listed(name: str, value: list[Any], random: Random) -> list[Any]:
    """Return a list with one of its values changed, or another one in its place."""
    place = random.randrange(len(value))
    kinds = [other for other in value if other != value[place]]
    changed = random.choice(kinds) if kinds and random.random() < 0.5 else _other(
        name, value[place], "", random
    )
    return [changed if n == place else other for n, other in enumerate(value)]


def _texts(name: str) -> set[str]:
    """Return what families say by default where a key takes a text."""
    every: Mapping[str, Any] = facts()["families"]
    said = (family["keys"].get(name) for family in every.values())
    return {value for value in said if isinstance(value, str)}
