"""Read a configuration: which target it is, at which sizes, and what became of every key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from symledger.arguments.specs import Only, Remark, Settings, SizeOf, Use, written
from symledger.catalogue.checkpoints import Checkpoint
from symledger.catalogue.entry import CATALOGUE
from symledger.config_keys import common
from symledger.config_keys import types_of_keys as typed
from symledger.config_keys.family import Built, Family, Values
from symledger.configs.configuration import Configuration, Key, Status
from symledger.configs.document import Document
from symledger.configs.families import READERS, home
from symledger.configs.reader import class_of, family_of, named
from symledger.errors import BadInput, DefinitionError, SymledgerError, nearest, shown
from symledger.languages.message import joined, message, word

NOTHING: Mapping[str, Use] = {}
STORED = word("configuration.sets.stored", "bytes are those of --dtype")
"""What is said of a key that says how weights are stored."""
DECIDES = word("configuration.sets.family", "its keys")
"""What is said of the key that says which family it is."""


def read(document: Document) -> Configuration:
    """Read a configuration.

    Raises:
        BadInput: its family or class is not known, a value cannot be used, or a key that may
            change a count is not understood.
    """
    family = family_of(document)
    document = family.nested(document)
    names = dict(family.facts["aliases"])
    given = _renamed(document, names)
    architecture, built = class_of(family, given)
    values: dict[str, Any] = {**family.facts["keys"], **given}
    values.update(_followed(family, document, values))
    settings: Settings = {"B": "1", **family.implied, **built.options}
    if built.labels:
        settings["Y"] = str(_labels(given, family.classes))
        _check_ends(architecture, settings["Y"])
    keys = [*_classes(document, architecture, built)]
    keys += _remarked(_keys(family, given, values, settings, built.uses), built, values)
    for rule in (*family.rules, *built.rules):
        settings.update(rule.read(values))
    typed.check(family, given, values)
    for name, part in {**family.parts, **built.parts}.items():
        keys += _part(name, part, given.get(name), settings)
    return Configuration(family, architecture, built, settings, tuple(keys), document)


def entry_of(known: Checkpoint) -> str:
    """Return the entry of the catalogue that a published configuration is of.

    Raises:
        SymledgerError: no family here reads it, or not its class.
    """
    if not known.config:
        return known.entry
    check_reader(known)
    with mended_at(known):
        return class_of(family_of(known.config), known.config)[1].entry


def published(known: Checkpoint) -> Configuration:
    """Read a published configuration.

    Raises:
        SymledgerError: something of it is not understood.
    """
    check_reader(known)
    with mended_at(known):
        return read(known.config)


@contextmanager
def mended_at(known: Checkpoint) -> Iterator[None]:
    """Let what is refused of a configuration of the package say which one, and what reads it.

    Raises:
        SymledgerError: what was refused inside.
    """
    try:
        yield
    except SymledgerError as error:
        key = named(known.config)
        file = home(key, known.config[key])
        raise type(error)(f"the checkpoint {known.name}, which {file} reads: {error}") from error


def check_reader(known: Checkpoint) -> None:
    """Refuse a published configuration that is of no family here.

    Raises:
        DefinitionError: no entry reads what it names.
    """
    key = named(known.config)
    name = known.config.get(key)
    if name not in READERS[key]:
        raise DefinitionError(
            f"the checkpoint {known.name} is of {key} {name}, which no entry reads: say so in the "
            f"entry of its family, in {CATALOGUE['model']}."
        )


def _renamed(document: Document, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys under the family's own names; two names of one key may not disagree."""
    found: dict[str, Any] = {}
    called: dict[str, str] = {}
    for key, value in document.items():
        name = names.get(key, key)
        if name in found and found[name] != value:
            raise BadInput(
                f"{shown(key)} and {shown(called[name])} are the same key, but {written(value)} "
                f"and {written(found[name])} are given. Leave one out."
            )
        found[name], called[name] = value, key
    return found


def _followed(family: Family, document: Document, values: Values) -> dict[str, Any]:
    """Return keys that follow another one, which the file calls otherwise: its default decides."""
    return {
        name: family.facts["keys"][other] for name, other in family.follows.items()
        if values[name] is None and other not in document
    }  # fmt: skip


def _labels(given: Document, default: int) -> int:
    """How many classes there are: as many as have a name, or as is said, or by default.

    Versions of the implementation differ in which of the two they believe, so they have to agree.
    """
    names, number = given.get("id2label"), given.get("num_labels")
    if names is not None and not (isinstance(names, dict) and names):
        raise BadInput(f"id2label = {written(names)} names no classes.")
    if "num_labels" not in given:
        return len(names) if names else default
    if type(number) is not int or not 1 <= number <= 10**9:
        raise BadInput(f"num_labels = {written(number)} is not a number of classes.")
    if names and len(names) != number:
        raise BadInput(f"num_labels = {number}, but id2label names {len(names)} classes.")
    return number


def _check_ends(architecture: str, classes: str) -> None:
    """Refuse what finds an answer by its two ends, and tells another number of classes apart."""
    if "QuestionAnswering" in architecture and classes != "2":
        raise BadInput(
            f"{architecture} tells the first and the last token of an answer apart from others: it "
            f"has 2 classes, and fails where id2label or num_labels says {classes}."
        )


def _classes(document: Document, architecture: str, built: Built) -> Iterator[Key]:
    """Yield the keys that decide what is built."""
    made = [built.entry, _said(built.options)]
    key = named(document)
    if document[key] == architecture:
        yield Key(key, _written(architecture), "used", ", ".join(filter(None, made)))
        return
    yield Key(key, _written(document[key]), "used", DECIDES)
    status: Status = "used" if document.get("architectures") else "defaulted"
    yield Key("architectures", _written([architecture]), status, ", ".join(filter(None, made)))


def _keys(
    family: Family, given: Document, values: Values, settings: Settings,
    otherwise: Mapping[str, Use] = NOTHING,
) -> Iterator[Key]:  # fmt: skip
    """Yield what becomes of every key, and put what it sets into the settings.

    ``otherwise`` are the uses of keys that the class reads otherwise than its family.
    """
    for name in dict.fromkeys((*family.facts["keys"], *given)):
        if name in (family.key, "architectures", *family.parts):
            continue
        use = otherwise.get(name) or family.uses.get(name) or common.known(name)
        value = values[name]
        if use is None:
            if value is None:
                yield Key(name, _written(value), "irrelevant")
                continue
            raise BadInput(
                f"the key {shown(name)} = {written(value)} is not understood, and may change what "
                f"is counted in a {family.model_type}. {nearest(name, family.uses)} If it changes "
                "nothing, leave it out."
            )
        needed = name in family.needs or (value is None and isinstance(use, SizeOf))
        if needed and name not in given:
            raise BadInput(f"{name} is missing, and {family.implementation} needs it: say it.")
        found = use.settings(name, value)
        settings.update(found)
        if name in given:
            note = use.note(value)
            said = STORED if isinstance(use, common.Stored) else _remark(note) or _said(found)
            yield Key(name, _written(value), "used" if note else _status(use), said)
        elif _status(use) == "used":
            yield Key(name, _written(value), "defaulted", _said(found))


def _remarked(keys: Iterable[Key], built: Built, values: Values) -> Iterator[Key]:
    """Yield the keys, with what the class has to say of some of them."""
    for key in keys:
        remark = _remark(built.remarks[key.name](values)) if key.name in built.remarks else ""
        if not remark:
            yield key
            continue
        status: Status = "defaulted" if key.status == "defaulted" else "used"
        sets = joined(filter(None, (key.sets, remark)), "; ")
        yield replace(key, status=status, sets=sets)


def _remark(remark: Remark | None) -> str:
    """Return the sentence of a remark."""
    return message(f"remark.{remark.name}", **remark.values) if remark else ""


def _part(name: str, part: Family, document: object, settings: Settings) -> Iterator[Key]:
    """Yield what becomes of every key of a configuration inside another one."""
    if document is not None and not isinstance(document, dict):
        raise BadInput(f"{name} = {written(document)} does not fit: a configuration is meant.")
    part = part.part(document)
    given = _renamed(document or {}, dict(part.facts["aliases"]))
    if given.get("model_type") not in (None, "", part.model_type):  # some say that it is ""
        known = " or ".join(other.model_type for other in (part, *part.others))
        raise BadInput(
            f"{name} is of model_type {written(given['model_type'])}, not {known}: that is not "
            "supported."
        )
    absent = part.absent if document is None or part.filled else {}
    values = {**part.facts["keys"], **absent, **given}
    settings.update(part.implied)
    for key in _keys(part, given, values, settings):
        yield replace(key, name=f"{name}.{key.name}")
    for rule in part.rules:
        settings.update(rule.read(values))
    typed.check(part, given, values)


def _status(use: Use) -> Status:
    """Whether a key of this use can change a count: one that has a single value cannot."""
    return "irrelevant" if typed.irrelevant(use) or isinstance(use, Only) else "used"


def _written(value: object) -> str:
    """Write a value as it stands in the file."""
    return shown(json.dumps(value, ensure_ascii=False))


def _said(found: Settings) -> str:
    return ", ".join(f"{name} = {value}" for name, value in found.items())
