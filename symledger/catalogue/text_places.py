"""Where the text of a name is written, so that what is refused in it says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from symledger.catalogue.entries import find
from symledger.catalogue.texts import LANGUAGE, PACKAGE, file_of, place_of
from symledger.errors import SymledgerError


def place(name: str) -> str:
    """Return where the text of a name is written, or is to be, from the top of a checkout."""
    folder = PACKAGE.joinpath(*find(name).named.module.split(".")[:2])
    file = file_of(name) or folder / "texts" / LANGUAGE / f"{name}.toml"
    return place_of(file)


@contextmanager
def said_by(name: str) -> Iterator[None]:
    """Let what is refused say in which text it stands.

    Raises:
        SymledgerError: what was refused inside, after the file.
    """
    try:
        yield
    except SymledgerError as error:
        raise type(error)(f"{place(name)}: {error}") from error
