"""In a checkout it is the checkout that is shown, not another symledger that is installed."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

RUNNING = Path(__file__).parents[1]
SEARCHED = "PYTHONPATH"


def prefer(folder: Path) -> None:
    """Start this command again with the package of a checkout, where it runs with another one.

    Whoever changes a component and looks at the site wants to see the change, and ``pip install .``
    has left a copy that knows nothing of it. The process is replaced, and says so on stderr.
    """
    first = os.environ.get(SEARCHED, "").split(os.pathsep)[0]
    if not _is_checkout(folder) or first == str(folder) or RUNNING.samefile(folder / "symledger"):
        return
    sys.stderr.write(f"showing the checkout {folder}, not the symledger in {RUNNING.parent}\n")
    path = filter(None, (str(folder), os.environ.get(SEARCHED)))
    environment = {**os.environ, SEARCHED: os.pathsep.join(path)}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)  # noqa: S606  # the command that the user gave


def _is_checkout(folder: Path) -> bool:
    if not (folder / "symledger" / "site" / "checkout.py").is_file():
        return False
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        return bool(project["project"]["name"] == "symledger")
    except (OSError, ValueError, LookupError, TypeError):
        return False
