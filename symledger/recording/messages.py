"""The catalogues of messages: what translators edit is held to English, and compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symledger.catalogue.texts import files as texts
from symledger.catalogue.texts import text_of
from symledger.languages.language import ENGLISH, LOCALE, catalogue
from symledger.recording.kind import Kind, Made, replaced
from symledger.recording.selection import Selection
from symledger.recording.words import defined, is_defined, of_its_name, options

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog, Message

HEADER = """\
msgid ""
msgstr ""
"Language: {0}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {1}\\n"

"""


WIDTH = 100


EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""The date in the header of what is compiled: output depends on no clock."""


class Messages(Kind):
    """Every catalogue lists the keys of the English one, each with the English that it renders.

    English itself has the words that definitions hold from there (what a symbol means), and every
    language the names that its texts give to components and models.

    That stands in comments (``#. at {n} points``), which translators' tools show. Where English
    says otherwise now, a translation becomes fuzzy: it is left out until somebody has looked.
    """

    name = "messages"
    needs = ("babel",)

    def units(self, selection: Selection) -> tuple[str, ...]:
        """Return the languages: every owner has words, its title and what its witness is."""
        found = tuple(sorted(folder.name for folder in LOCALE.iterdir()))
        beside = selection.configurations and not (selection.owners or selection.kinds)
        return found if selection.wants(self.name) and not beside else ()

    def about(self, unit: str) -> str:
        """Return what is made by one process: all of them, of the same words."""
        return "words"

    def fresh(self, unit: str) -> bool:
        """Whether a catalogue is as it would be written, and compiled so."""
        text, (edited, compiled) = self.make(unit).data, files(unit)
        return edited.read_text("utf-8") == text and _says(compiled, text)

    def make(self, unit: str) -> Made:
        """Return a catalogue as it is to be written."""
        english = read(ENGLISH)
        _define(english)
        if unit == ENGLISH:
            return Made(_written(english))
        found = read(unit)
        _follow(found, english)
        _name(found, unit)
        return Made(_written(found))

    def write(self, made: Mapping[str, Any]) -> list[Path]:
        """Write catalogues, and what they are compiled to."""
        changed: list[Path] = []
        for language, text in made.items():
            edited, compiled = files(language)
            changed += replaced(edited, text)
            if not _says(compiled, text):
                compiled.write_bytes(_compiled(text))
                changed.append(compiled)
        catalogue.cache_clear()
        return changed


def files(language: str) -> tuple[Path, Path]:
    """Return the file that translators edit, and the one that is read at run time."""
    folder = LOCALE / language / "LC_MESSAGES"
    return folder / "symledger.po", folder / "symledger.mo"


def read(language: str) -> Catalog:
    """Read what translators edit."""
    return _parsed(files(language)[0].read_text("utf-8"))


def messages(found: Catalog) -> Iterator[tuple[str, Message]]:
    """Yield the messages of a catalogue with their keys, without its header."""
    for m in found:
        if m.id:
            yield m.id if isinstance(m.id, str) else m.id[0], m


def sentences(said: Message) -> tuple[str, ...]:
    """Return what a message says: one sentence, or one for each plural form."""
    found = (said.string,) if isinstance(said.string, str) else tuple(said.string or ())
    return found if all(found) else ()


def stale(language: str) -> list[str]:
    """Return the keys whose translation renders English that is said otherwise now."""
    english = {key: sentences(m) for key, m in messages(read(ENGLISH))}
    return [
        key for key, m in messages(read(language))
        if sentences(m) and (m.fuzzy or not _renders(m, english.get(key, ())))
    ]  # fmt: skip


def _renders(m: Message, english: tuple[str, ...]) -> bool:
    """Whether the comment over a message is this English, as Babel breaks it into lines."""
    return _lines(m.auto_comments) == _lines(english)


def _lines(comments: Iterable[str]) -> list[str]:
    """Break comments into lines; of two plural forms that begin alike, these stand there once."""
    from babel.util import TextWrapper

    wrapped = TextWrapper(width=WIDTH, break_long_words=False).wrap
    return list(dict.fromkeys(line for said in comments for line in wrapped(said)))


def _define(english: Catalog) -> None:
    """Give the English catalogue the words that definitions hold, as they are there now."""
    words = defined()
    for key, m in list(messages(english)):
        if is_defined(key) and key not in words:
            english.delete(m.id)
        elif (name := of_its_name(key)) is not None:
            words[key] = name
    for key, said in (words | options()).items():
        english.delete(key)
        english.add(key, said)


def _follow(found: Catalog, english: Catalog) -> None:
    """Give a catalogue the keys of the English one; mark what renders other words than now."""
    known = dict(messages(found))
    for old in known.values():
        found.delete(old.id)
    for key, source in messages(english):
        renders, m = sentences(source), known.get(key)
        same_form = m is not None and isinstance(m.id, str) == isinstance(source.id, str)
        string = m.string if m and same_form else ""
        made = found.add(source.id, string, auto_comments=renders, flags=m.flags if m else ())
        if m and sentences(made) and m.auto_comments and not _renders(m, renders):
            made.flags.add("fuzzy")


def _name(found: Catalog, language: str) -> None:
    """Let a catalogue call components and models what the texts of its language call them."""
    for name in texts(language):
        called, known = text_of(name, language).name, found.get(f"name.{name}")
        if known is not None and called:
            known.string = called


def _parsed(text: str) -> Catalog:
    from babel.messages.pofile import read_po

    return read_po(StringIO(text), abort_invalid=True)


def _written(found: Catalog) -> str:
    from babel.messages.pofile import write_po

    made = BytesIO()
    write_po(made, found, width=WIDTH, omit_header=True, no_location=True, sort_output=True,
             ignore_obsolete=True)  # fmt: skip
    head = HEADER.format(found.locale_identifier, found.plural_forms)
    return head + made.getvalue().decode().strip() + "\n"


def _compiled(text: str) -> bytes:
    from babel.messages.mofile import write_mo

    made, found = BytesIO(), _parsed(text)
    for _, m in list(messages(found)):
        if not sentences(m):
            found.delete(m.id)  # Babel would say its key, for each plural form
    found.creation_date = found.revision_date = EPOCH
    write_mo(made, found)
    return made.getvalue()


def _says(compiled: Path, text: str) -> bool:
    """Whether a compiled catalogue says what a text does; headers name the version of Babel."""
    from babel.messages.mofile import read_mo

    if not compiled.is_file():
        return False
    with compiled.open("rb") as file:
        there = {key: sentences(m) for key, m in messages(read_mo(file))}
    now = {key: sentences(m) for key, m in messages(_parsed(text)) if not m.fuzzy}
    return there == {key: said for key, said in now.items() if said}
