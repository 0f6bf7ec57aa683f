"""Wheels and a source distribution of the checkout, and a wheel that is installed without it."""

import os
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from subprocess import run

from tests import documents

PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
BUILD = [sys.executable, "-m", "build", "--no-isolation"]  # with what is installed: offline
MISSING = not (find_spec("hatchling") and find_spec("pyproject_hooks"))  # build needs these hooks


def made(folder, *only):
    """Make a source distribution, and a wheel from it; with ``--wheel`` a wheel of the checkout."""
    said(*BUILD, *only, "--outdir", str(folder), str(documents.ROOT), folder=folder)
    (found,) = folder.glob("symledger-*.whl")
    return found


def installed(wheel, folder):
    """Install a wheel into an environment that takes only its dependencies from this one."""
    venv.create(folder)
    python = str(folder / "bin" / "python")
    said(*PIP, "--python", python, "install", "--no-deps", "--no-index", str(wheel), folder=folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("-packages")]
    (packages / "dependencies.pth").write_text("\n".join(here))
    found = said(python, "-c", "import symledger; print(symledger.__file__)", folder=folder)
    assert Path(found).is_relative_to(packages)
    return str(folder / "bin" / "symledger")


def said(*command, folder, **variables):
    """Run a command in a folder and return what it prints; no path of ours leads it."""
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    assert done.returncode == 0, done.stderr
    return done.stdout
