"""What is kept of a sweep: the best rows, or the first; and a file of them, whole or not there."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from symledger.errors import BadInput, shown
from symledger.inverse.sweep.columns import Array
from symledger.inverse.sweep.run import Found

Table = list[Array]
"""Columns of equal length."""


class Best:
    """The rows with the smallest values of one column (or the first ones), at most so many."""

    def __init__(self, most: int, by: int | None) -> None:
        self.most, self.by = most, by
        self.table: Table = []

    def add(self, found: Found) -> None:
        """Take rows, and leave those that are not among the best any more."""
        new = [*found.sizes, *found.values.values()]
        if self.by is None:
            room = self.most - (len(self.table[0]) if self.table else 0)
            new = [column[:room] for column in new]
        elif len(self.table and self.table[0]) == self.most:
            better = new[self.by] < self.table[self.by].max()
            new = [column[better.astype(bool)] for column in new]
        if not len(new[0]):
            return
        old = self.table or [column[:0] for column in new]
        self.table = [np.concatenate(pair) for pair in zip(old, new, strict=True)]
        if self.by is not None and len(self.table[0]) > self.most:
            self._sort(self.most)

    def rows(self) -> list[tuple[int, ...]]:
        """Return the rows, the best first."""
        if self.by is not None and self.table:
            self._sort(self.most)
        return list(zip(*(column.tolist() for column in self.table), strict=True))

    def _sort(self, most: int) -> None:
        assert self.by is not None
        order = np.argsort(self.table[self.by], kind="stable")[:most]
        self.table = [column[order] for column in self.table]


class Writer:
    """A CSV file that is written beside its place, and moved there when it is whole."""

    def __init__(self, file: Any, header: Sequence[str], most: int) -> None:
        self._rows = csv.writer(file, lineterminator="\n")
        self._rows.writerow(header)
        self.left, self.written = most, 0

    def write(self, rows: Sequence[tuple[int, ...]]) -> None:
        """Write rows, as many as there may be."""
        taken = rows[: self.left]
        self._rows.writerows(taken)
        self.left -= len(taken)
        self.written += len(taken)


@contextmanager
def writing(path: str, header: Sequence[str], most: int) -> Iterator[Writer]:
    """Open a file that is there when all of it is, or not at all.

    Raises:
        BadInput: its folder is not there, or it is one itself, or a device that would be replaced.
    """
    place = Path(path)
    if (place.exists() and not place.is_file()) or not place.parent.is_dir():
        raise BadInput(f"{shown(path)} cannot be written: name a file in a folder that exists.")
    with NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=place.parent, prefix=f".{place.name}.", delete=False
    ) as file:
        try:
            yield Writer(file, header, most)
            file.flush()
            Path(file.name).chmod(0o666 & ~_umask())
            Path(file.name).replace(place)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found
