"""Read a configuration: which target it is, at which sizes, and what became of every key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from symledger.arguments.specs import Only, Remark, Settings, SizeOf, Use, written
from symledger.catalogue.checkpoints import Checkpoint
from symledger.catalogue.entry import CATALOGUE
from symledger.config_keys import common
from symledger.config_keys import types_of_keys as typed
from symledger.config_keys.family import Built, Family, Values
from symledger.configs.document import Document
from symledger.configs.families import READERS, home, loaded
from symledger.configs.unread import refusal
from symledger.errors import BadInput, DefinitionError, SymledgerError, nearest, shown
from symledger.languages.message import joined, message, word

NOTHING: Mapping[str, Use] = {}
STORED = word("configuration.sets.stored", "bytes are those of --dtype")
"""What is said of a key that says how weights are stored."""
DECIDES = word("configuration.sets.family", "its keys")
"""What is said of the key that says which family it is."""
Status = Literal["used", "defaulted", "irrelevant"]


@dataclass(frozen=True)
class Key:
    """A key of a configuration: its value, whether it was used, and what it sets."""

    name: str
    value: str
    status: Status
    sets: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the key as JSON data."""
        return {"key": self.name, "value": self.value, "status": self.status, "sets": self.sets}


@dataclass(frozen=True)
class Configuration:
    """What a configuration says: the class that it builds, what that is here, and its settings.

    ``settings`` hold sizes and choices as ``--set`` would be told; ``keys`` what became of each
    key, those that are missing included where they matter; ``given`` is the whole of it.
    """

    family: Family
    architecture: str
    built: Built
    settings: Settings
    keys: tuple[Key, ...]
    given: Document = field(default_factory=dict)

    @property
    def model_type(self) -> str:
        """The name of its family."""
        return self.family.model_type

    @property
    def names(self) -> dict[str, str]:
        """The keys that give symbols their values, by symbol, as the file calls them."""
        found = dict(_names(self.family, self.given))
        for name, part in {**self.family.parts, **self.built.parts}.items():
            document = self.given.get(name) or {}
            inside = _names(part.part(document), document)
            found.update((symbol, f"{name}.{key}") for symbol, key in inside)
        return found

    def called(self, function: str) -> str:
        """Name the keys that chose a function."""
        return " and ".join(
            f"{key.name} = {key.value}" for key in self.keys
            if any(said.endswith(f" = {function}") for said in key.sets.split(", "))
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was read as JSON data."""
        return {
            "model_type": self.model_type, "architecture": self.architecture,
            "defaults_of": self.family.implementation, "keys": [key.to_dict() for key in self.keys],
        }  # fmt: skip


def read(document: Document) -> Configuration:
    """Read a configuration.

    Raises:
        BadInput: its family or class is not known, a value cannot be used, or a key that may
            change a count is not understood.
    """
    family = _family(document)
    document = family.nested(document)
    names = dict(family.facts["aliases"])
    given = _renamed(document, names)
    architecture, built = _built(family, given)
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


def _names(family: Family, given: Document) -> Iterator[tuple[str, str]]:
    """Yield a symbol and its key, for every symbol that one key gives a value."""
    said = {name: other for other, name in family.facts["aliases"].items() if other in given}
    for name, use in family.uses.items():
        yield from use.called(name if name in given else said.get(name, name)).items()


def entry_of(known: Checkpoint) -> str:
    """Return the entry of the catalogue that a published configuration is of.

    Raises:
        SymledgerError: no family here reads it, or not its class.
    """
    if not known.config:
        return known.entry
    check_reader(known)
    with mended_at(known):
        return _built(_family(known.config), known.config)[1].entry


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


def named(document: Document) -> str:
    """Return the key that names the family."""
    return next((key for key in READERS if key in document), next(iter(READERS)))


def _family(document: Document) -> Family:
    key = named(document)
    known = READERS[key]
    name = document.get(key)
    if name is None:
        raise BadInput(
            "the configuration does not say its model_type, and nothing else tells its family "
            f"for certain. {nearest('', known)} `symledger list models` shows what they are."
        )
    if not isinstance(name, str) or name not in known:
        said = shown(name) if isinstance(name, str) else written(name)
        why = refusal(name) if isinstance(name, str) and key == "model_type" else ""
        otherwise = (
            f"its formulas are not derived here, and a guess could be wrong. {nearest(said, known)}"
        )
        raise BadInput(f"{key} {said} is not supported: {why or otherwise}{_parts_known(document)}")
    found = loaded(key, name)
    kinds = (kind for (of, value), kind in found.kinds.items() if _at(document, of) == value)
    return next(kinds, found)


def _at(document: Document, path: str) -> object:
    """Return what a document says of a key, or of one of a part: ``text_config.model_type``."""
    found: object = document
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _parts_known(document: Document) -> str:
    """Say which parts of a configuration are of families that are known, if there are any."""
    kinds = {
        name: part["model_type"] for name, part in document.items()
        if isinstance(part, dict) and isinstance(part.get("model_type"), str)
    }  # fmt: skip
    found = [f"{shown(name)} is of model_type {kind}" for name, kind in kinds.items()
             if kind in READERS["model_type"]]  # fmt: skip
    if not found:
        return ""
    return f" But {' and '.join(found)}, which can be derived as a file of its own."


def _renamed(document: Document, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys under the family's own names; two names of one key may not disagree."""
    found: dict[str, Any] = {}
    called: dict[str, str] = {}
    for key, value in document.items():
        name = names.get(key, key)
        if found.get(name, value) != value:
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


def _built(family: Family, given: Document) -> tuple[str, Built]:
    named = given.get("architectures")
    if named is None or named == []:
        return next(iter(family.builds.items()))
    if not isinstance(named, list) or len(named) != 1 or not isinstance(named[0], str):
        raise BadInput(f"architectures = {written(named)} does not name one class of a model.")
    if named[0] not in family.builds:
        raise BadInput(
            f"{shown(named[0])} is not supported, for what it adds to the model is not derived "
            f"here. {nearest(named[0], family.builds)}"
        )
    return named[0], family.builds[named[0]]


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
