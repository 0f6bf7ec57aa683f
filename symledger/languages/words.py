"""Words of many definitions: the parts of a model, choices, and places in a model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from symledger.languages.message import Text, Verbatim, Word, joined, message, word

BETWEEN = re.compile(r"between (.+)s")
MARKS = re.compile(r"( › | \+ | × (?:(?! › ).)*)")


def part(label: str) -> Text:
    """Return the name of a part of a model: ``token embedding``, ``norm 1``, ``between blocks``.

    Labels are named in definitions, as ``token_embedding``. A symbol (W_Q) is the same in every
    language.

    >>> part("between windowed blocks").said("es")
    'entre bloque con ventana y bloque con ventana'
    """
    between = BETWEEN.fullmatch(label)
    if between:
        return message("parts.between", part=part(between[1]))
    return joined((
        word(f"part.{'_'.join(names)}", " ".join(names)) if spoken else " ".join(names)
        for spoken, names in runs(label)
    ), " ")  # fmt: skip


def implementation(said: str) -> Text:
    """Return whose class a reference implementation is.

    >>> implementation("LlamaForCausalLM of transformers 5.23.0").said("es")
    'LlamaForCausalLM de transformers 5.23.0'
    """
    model, of, library = said.partition(" of ")
    if not of:
        return Verbatim(said)
    return message("implementation.of", model=Verbatim(model), library=Verbatim(library))


def runs(label: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the names in a label, and the numbers between and behind them."""
    pieces = re.split("[_ ]", label)
    for is_number, found in groupby(pieces, str.isdecimal):
        yield not is_number, list(found)


def place(said: str) -> Text:
    """Return where something stands, as it is written: ``block › norm 1 + norm 2 × L``."""
    found = MARKS.split(said)
    names = [part(n if BETWEEN.fullmatch(n) else n.replace(" ", "_")) for n in found[::2]]
    marks = [*found[1::2], ""]
    return joined([text for pair in zip(names, marks, strict=True) for text in pair if text], "")


def named(option: str) -> Word:
    """Return what an option is called: ``positions``."""
    return word(f"choice.named.{option}", option)


def valued(value: object) -> Text:
    """Return what an option is: ``rotary``; yes and no as they are set, ``true``, ``false``."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return word(f"choice.is.{text}", text)


def made(option: str, value: object) -> Text:
    """Say a choice among words: ``no bias kv``."""
    name = word(f"choice.named.{option}", option.replace("_", " "))
    if value is True:
        return name
    if value is False:
        return message("choice.without", choice=name)
    return message("choice.with", choice=name, value=valued(value))


def case(name: str) -> Word:
    """Return what a named case of a definition is called: ``multi-head``."""
    return word(f"case.{slug(name)}", name)


def slug(text: str) -> str:
    """Write words as the last part of a key.

    >>> slug("complex step of one"), slug("same, drawn")
    ('complex_step_of_one', 'same_drawn')
    """
    return "_".join(re.findall(r"\w+", text))


def choice(option: str, value: object) -> Text:
    """Say an option in words: ``no bias``, ``positions rotary``."""
    if value is True:
        return named(option)
    if value is False and option == "tied":
        return message("choice.untied")
    if value is False:
        return message("choice.without", choice=named(option))
    return message("choice.with", choice=named(option), value=valued(value))
