"""What is being done, said while it is."""

from __future__ import annotations

import sys


def progress(text: str) -> None:
    """Say on a terminal's stderr what is being done, in one line that is written over."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def done() -> None:
    """Wipe out the line: nothing is being done any more."""
    progress("")
