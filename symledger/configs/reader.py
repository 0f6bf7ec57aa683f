"""Which family reads a configuration, and which of its classes is built."""

from __future__ import annotations

from symledger.arguments.specs import written
from symledger.config_keys.family import Built, Family
from symledger.configs.document import Document
from symledger.configs.families import READERS, loaded
from symledger.configs.unread import refusal
from symledger.errors import BadInput, nearest, shown


def named(document: Document) -> str:
    """Return the key that names the family."""
    return next((key for key in READERS if key in document), next(iter(READERS)))


def family_of(document: Document) -> Family:
    """Return the family that reads a configuration.

    Raises:
        BadInput: it names none, or one that is not known.
    """
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


def class_of(family: Family, given: Document) -> tuple[str, Built]:
    """Return the class that a configuration builds, the first of its family where it names none.

    Raises:
        BadInput: it names several, or one that is not known.
    """
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
