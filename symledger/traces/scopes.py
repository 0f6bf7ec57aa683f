"""Which parts a program is cut into, by the modules that its operations ran in.

A part is run without a break from where it begins to where it ends. A container of modules that is
only reached into (``self.transformer.wte(x)``) is none: its modules are parts of what it stands in,
under their whole paths. A module that runs more than once is a part each time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from symledger.ir.tensor import Scope


class Scopes:
    """The scopes of a graph, by the paths of its operations in order; empty for leaves."""

    def __init__(self, root: Scope, paths: Sequence[str | None]) -> None:
        self.root = root
        self.made: dict[tuple[str, int], Scope] = {}
        self.ends: dict[str, list[int]] = {}
        last: dict[str, int] = {}
        own = set()
        number = 0
        for i, path in enumerate(paths):
            if path is None:
                continue
            own.add(path)
            for prefix in prefixes(path):
                ends = self.ends.setdefault(prefix, [])
                if ends and last[prefix] == number:
                    ends[-1] = i
                else:
                    ends.append(i)
                last[prefix] = number + 1
            number += 1
        self.passed = {p for p, ends in self.ends.items() if len(ends) > 1 and p not in own}

    def at(self, i: int, path: str) -> Scope:
        """Return the part that an operation stands in, by its number and the path of its module."""
        if not path:
            return self.root
        scope, name = self.around(i, path)
        return self._scope(path, i, name, scope)

    def around(self, i: int, path: str) -> tuple[Scope, str]:
        """Return the part that a module stands in, and what the module is called there."""
        scope, names = self.root, ""
        for prefix in prefixes(path.rpartition(".")[0]):
            names = f"{names}.{last_of(prefix)}".lstrip(".")
            if prefix not in self.passed:
                scope, names = self._scope(prefix, i, names, scope), ""
        return scope, f"{names}.{last_of(path)}".lstrip(".")

    def _scope(self, prefix: str, i: int, name: str, parent: Scope) -> Scope:
        ends = self.ends.get(prefix, [])
        run = bisect_left(ends, i) if ends and i <= ends[-1] else max(len(ends) - 1, 0)
        return self.made.setdefault((prefix, run), Scope(name, None, parent))


def prefixes(path: str) -> list[str]:
    """Return the paths of the modules around one, the outermost first, and its own.

    >>> prefixes("a.b")
    ['a', 'a.b']
    """
    names = path.split(".") if path else []
    return [".".join(names[: i + 1]) for i in range(len(names))]


def last_of(path: str) -> str:
    """Return the last name of a path."""
    return path.rpartition(".")[2]
