"""A mutant: a deliberate mistake, and how to look for a check that finds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SURVIVED = ""


@dataclass(frozen=True)
class Mutant:
    """A mistake: what kind it is, a name, and how to look for a check that finds it.

    ``hunt`` returns the kind of the first check that refuses it, or SURVIVED. ``about`` names the
    operation whose rules it breaks, where it is one alone.
    """

    kind: str
    name: str
    hunt: Callable[[], str]
    about: str = ""
