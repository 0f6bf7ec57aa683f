"""Functions and classes of others that a user's file puts something else in place of.

Most files that do so do no harm, and some have to: so it is only looked for once something has
failed that is not the file's own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

Names = Mapping[str, Mapping[str, object]]
OF_CLASSES = ("torch", "torch.nn", "torch.overrides", "numpy", "sympy")
"""Modules whose classes are looked into."""


def names() -> Names:
    """Return all that modules hold by name, and classes of those that everything is computed by."""
    found = dict(_modules())
    for name in OF_CLASSES:
        for n, kind in found.get(name, {}).items():
            if isinstance(kind, type):
                found[f"{name}.{n}"] = {
                    a: x for c in reversed(kind.__mro__) for a, x in vars(c).items()
                }  # fmt: skip
    return found


def others(before: Names, own: str) -> list[str]:
    """Return the functions and classes that are others now, or are no more.

    Left out are those of modules whose names begin as the user's ``own`` do.
    """
    now = names()
    return [
        f"{of}.{n}" for of, known in before.items() if of in now and not of.startswith(own)
        for n, x in known.items()
        if now[of].get(n) is not x and (callable(x) or isinstance(x, property))
        and (of, n) not in ANEW and n != "__loader__"
    ]  # fmt: skip


ANEW = {("torch", "manual_seed")}
"""What PyTorch itself gives something else, where its compiler is imported."""


def _modules() -> Iterator[tuple[str, dict[str, object]]]:
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType):
            yield name, vars(module).copy()
