"""The texts that a person writes about a component or a model, beside its definition.

One TOML file a name, in ``texts/LANGUAGE/`` of its topic's or its family's folder. Its strings are
Markdown, with formulas and numbers put in by the ledger where ``{{ … }}`` asks for them (see
``site/voice.py``); a number that the ledger can say is never typed. Unknown keys are refused.

A text in another language renders the English one, of which it says the revision (``renders``). It
holds words alone: what it lacks, part by part, is that of the English text.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from symledger.errors import BadInput, nearest, quoted, shown

PACKAGE = Path(__file__).parents[1]
RENDERS = "renders"
"""What a text in another language says first: the revision of the English that it renders."""
LANGUAGE = "en"
"""The language that every text is in; another one may lack some."""

Settings = Mapping[str, int | bool | str]


@dataclass(frozen=True)
class Example:
    """The worked example: sizes and choices, and what they are the sizes of."""

    settings: Settings
    text: str = ""


@dataclass(frozen=True)
class Mistake:
    """A mistake to be made on purpose in a program, for a check to find.

    It is made in the ``definition`` (the backward pass follows it) or in the ``forward`` or the
    ``backward`` program alone: the ``number``-th of that kind (``checks/mistakes.py`` names them),
    of those inside the part ``inside`` (dotted, ``core.softmax``) where that is said.
    """

    kind: str
    where: str = "backward"
    inside: str | None = None
    number: int = 1

    def __str__(self) -> str:
        place = "" if self.inside is None else f" in {self.inside or 'the component itself'}"
        return f"{self.where}: {self.kind} {self.number}{place}"


@dataclass(frozen=True)
class Bug:
    """A common bug, with what demonstrates it: a ``wrong`` formula, or a ``mistake``.

    ``wrong`` stands where the formula of ``quantity`` belongs, with these ``options`` chosen.
    """

    title: str
    text: str
    quantity: str = ""
    wrong: str = ""
    options: Settings = field(default_factory=dict)
    mistake: Mistake | None = None


@dataclass(frozen=True)
class Question:
    """A question to review by, and its answer."""

    ask: str
    answer: str


@dataclass(frozen=True)
class Exercise:
    """Something to work out: the ledger gives the answer, ``hint`` says how to get there.

    The ``quantity`` is that of ``target`` (of this page where nothing is said) with ``settings``.
    """

    ask: str
    quantity: str
    settings: Settings
    hint: str = ""
    target: str = ""


@dataclass(frozen=True)
class Text:
    """What was written about one name; every part may be missing.

    ``name`` is how people write it (LSTM), ``also`` what else they call it, ``search`` other words
    that are typed by those who look for it: they are found, and not shown.
    """

    name: str = ""
    also: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    why: str = ""
    before: tuple[str, ...] = ()
    example: Example | None = None
    intuition: Mapping[str, str] = field(default_factory=dict)
    bugs: tuple[Bug, ...] = ()
    questions: tuple[Question, ...] = ()
    exercises: tuple[Exercise, ...] = ()


def file_of(name: str, language: str = LANGUAGE) -> Path | None:
    """Return the file of a text, in a language or else in English; None where there is none."""
    return files(language).get(name) or files(LANGUAGE).get(name)


@cache
def files(language: str) -> Mapping[str, Path]:
    """Return the file of every text that there is in a language, by name."""
    found = (
        file for kind in ("components", "models")
        for file in PACKAGE.glob(f"{kind}/*/texts/{language}/*.toml")
    )  # fmt: skip
    return {file.stem: file for file in found}


@cache
def text_of(name: str, language: str = LANGUAGE) -> Text:
    """Return what was written about a name, in a language or else in English; empty where nothing.

    Raises:
        BadInput: the file is no TOML, or a key is unknown, missing or of another type.
    """
    english, other = files(LANGUAGE).get(name), files(language).get(name)
    if english is None:
        return Text()
    return read(english, None if language == LANGUAGE else other)


def revision(file: Path) -> str:
    """Return the revision of an English text, which those that render it name."""
    return sha256(file.read_bytes()).hexdigest()[:12]


def stale(language: str) -> dict[str, str]:
    """Return the texts that render English as it no longer is, each with the revision of now.

    Raises:
        BadInput: a text does not say which English it renders, or there is none.
    """
    english = files(LANGUAGE)
    now = {name: revision(english[name]) for name in files(language) if name in english}
    return {
        name: now.get(name, "") for name, file in files(language).items()
        if _loaded(file).get(RENDERS) != now.get(name)
    }  # fmt: skip


def read(file: Path, other: Path | None = None) -> Text:
    """Read one file, and over it another one that renders it in another language.

    Raises:
        BadInput: one is no TOML, or a key is unknown, missing or of another type.
    """
    data = _loaded(file)
    if other:
        words = _loaded(other)
        if not isinstance(words.pop(RENDERS, None), str):
            raise BadInput(
                f"{place_of(other)} does not say which English it renders: "
                f'write {RENDERS} = "{revision(file)}", once it does.'
            )
        data, file = _over(data, words, place_of(other)), other
    text: Text = _made(Text, data, place_of(file))
    for i, bug in enumerate(text.bugs, 1):
        if bool(bug.wrong and bug.quantity) == bool(bug.mistake):
            raise BadInput(
                f"{place_of(file)}, bugs[{i}] {quoted(bug.title)} is demonstrated by a wrong "
                "formula of a quantity, or by a mistake: give one of the two."
            )
    return text


def place_of(file: Path) -> str:
    """Return where a text of the package is, from the top of a checkout."""
    inside = file.is_relative_to(PACKAGE)
    return file.relative_to(PACKAGE.parent).as_posix() if inside else file.name


def _loaded(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{place_of(file)} cannot be read as TOML: {error}.") from error


def _over(english: Any, words: Any, where: str) -> Any:
    """Put words over English ones, part by part; of several questions the first over the first."""
    if isinstance(english, dict) and isinstance(words, dict):
        said = {key: _over(english[key], item, f"{where}, {key}") if key in english else item
                for key, item in words.items()}  # fmt: skip
        return {**english, **said}
    if _several(english) and _several(words):
        if len(words) > len(english):
            raise BadInput(f"{where} are {len(words)}, of which English has {len(english)}.")
        first = [_over(e, w, f"{where}[{i}]")
                 for i, (e, w) in enumerate(zip(english, words, strict=False), 1)]  # fmt: skip
        return [*first, *english[len(first) :]]
    return words


def _several(found: Any) -> bool:
    """Whether something is a list of tables."""
    return isinstance(found, list) and all(isinstance(item, dict) for item in found)


def _made(kind: Any, data: object, where: str) -> Any:
    """Make a dataclass of a table, or an entry of another type, and refuse what does not fit."""
    if isinstance(kind, type) and kind in (Text, Example, Mistake, Bug, Question, Exercise):
        return _table(kind, data, where)
    inner = [part for part in get_args(kind) if part is not type(None)]
    if get_origin(kind) is tuple and isinstance(data, list):
        return tuple(_made(inner[0], item, f"{where}[{i}]") for i, item in enumerate(data, 1))
    if get_origin(kind) is Mapping and isinstance(data, dict):
        return {name: _made(inner[1], item, f"{where}.{name}") for name, item in data.items()}
    if type(None) in get_args(kind):
        return _made(inner[0], data, where)
    allowed = tuple(inner) or (kind,)
    if type(data) in allowed:
        return data.strip() if isinstance(data, str) else data
    words = " or ".join(getattr(part, "__name__", str(part)) for part in allowed)
    raise BadInput(f"{where} is {quoted(str(data))}, which is no {words}.")


def _table(kind: type, data: object, where: str) -> Any:
    if not isinstance(data, dict):
        raise BadInput(f"{where} is {quoted(str(data))}, which is no table.")
    hints = _hints(kind)
    unknown = next((key for key in data if key not in hints), None)
    if unknown is not None:
        raise BadInput(f"{where} has an unknown key {shown(unknown)}. {nearest(unknown, hints)}")
    needed = [f.name for f in fields(kind) if _is_required(f)]
    missing = next((name for name in needed if name not in data), None)
    if missing is not None:
        raise BadInput(f"{where} lacks {missing}, which every {kind.__name__.lower()} has.")
    return kind(**{key: _made(hints[key], item, f"{where}, {key}") for key, item in data.items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_required(f: Field[Any]) -> bool:
    return f.default is MISSING and f.default_factory is MISSING
