"""Files that were made of the sources of the package: they hold a fingerprint of these.

Where the sources are other ones, such a file is as good as none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

PACKAGE = Path(__file__).parents[2]
FOLDER = PACKAGE / "records" / "index"
SOURCES = (
    "accounts/account.py", "algebra/*.py", "catalogue/*.py", "tags/canonical.py",
    "components/**/*.py", "config_keys/*.py", "configs/*.py", "derivations/*.py", "ir/*.py",
    "ledger/*.py", "models/**/*.py", "models/*/checkpoints/*.json", "notation/*.py",
    "readings/*.py", "records/reference_defaults.json", "sizes.py", "targets/*.py",
    "explain/lines.py", "explain/sums.py", "explain/index/outlines.py",
    "explain/index/outline.py", "explain/index/readings.py", "explain/index/stamp.py",
    "explain/index/survey.py", "explain/index/usual.py",
)  # fmt: skip
"""What outlines and known sizes are made by."""
Made = TypeVar("Made")


@cache
def fingerprint() -> str:
    """Return the fingerprint of the sources."""
    digest = sha256()
    for pattern in SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            digest.update(f"{path.name}\n{path.read_text(encoding='utf-8')}\n".encode())
    return digest.hexdigest()[:16]


def read_stamped(file: Path, sources: str, read: Callable[[dict[str, Any]], Made]) -> Made | None:
    """Return what is read of a JSON object in a file; None where that is not of these sources."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return read(found) if found["sources"] == sources else None
    except (OSError, ValueError, LookupError, TypeError):
        return None  # it is not there, or was not written by us
