"""Which parts a program is cut into, by the modules that its operations ran in.

A part is run without a break from where it begins to where it ends. A container of modules that is
only reached into (``self.transformer.wte(x)``) is none: its modules are parts of what it stands in,
under their whole paths. A module that runs more than once is a part each time.

A block of operations that is run again going back is a part too, in the innermost module that holds
all of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from symledger.ir.tensor import Scope
from symledger.traces.graph import Block

CHECKPOINT = "checkpoint"
"""What a part is called that is run again."""


class Scopes:
    """The scopes of a graph, by the paths of its operations in order; empty for leaves."""

    def __init__(
        self, root: Scope, paths: Sequence[str | None],
        blocks: Sequence[tuple[Block, ...]] = (), whole: Collection[int] = (),
    ) -> None:  # fmt: skip
        """``blocks`` are those of each operation; ``whole`` are repetitions of a whole module."""
        self.root = root
        self.made: dict[tuple[str, int, tuple[Block, ...]], Scope] = {}
        self.blocks = blocks or [()] * len(paths)
        self.homes = homes(paths, self.blocks, whole)
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
            return self._inside(i, "", self.root)
        scope, name = self.around(i, path)
        return self._inside(i, path, self._scope(path, i, name, scope))

    def around(self, i: int, path: str) -> tuple[Scope, str]:
        """Return the part that a module stands in, and what the module is called there."""
        scope, names = self._inside(i, "", self.root), ""
        for prefix in prefixes(path.rpartition(".")[0]):
            names = f"{names}.{last_of(prefix)}".lstrip(".")
            if prefix not in self.passed:
                scope, names = self._scope(prefix, i, names, scope), ""
            scope = self._inside(i, prefix, scope)
        return scope, f"{names}.{last_of(path)}".lstrip(".")

    def _scope(self, prefix: str, i: int, name: str, parent: Scope) -> Scope:
        ends = self.ends.get(prefix, [])
        run = bisect_left(ends, i) if ends and i <= ends[-1] else max(len(ends) - 1, 0)
        outer = tuple(b for b in self.blocks[i] if len(self.homes[b]) < len(prefix))
        return self.made.setdefault((prefix, run, outer), Scope(name, None, parent))

    def _inside(self, i: int, prefix: str, scope: Scope) -> Scope:
        """Return the innermost block of an operation that stands in a module right away."""
        for b in self.blocks[i]:
            if self.homes[b] == prefix:
                new = Scope(CHECKPOINT, None, scope, recompute=True, early=b.early)
                scope = self.made.setdefault((CHECKPOINT, b.number, ()), new)
        return scope


def homes(
    paths: Sequence[str | None], blocks: Sequence[tuple[Block, ...]], whole: Collection[int]
) -> dict[Block, str]:
    """Return the path of the innermost module that holds all of each block."""
    found: dict[Block, list[str]] = {}
    for i, path in enumerate(paths):
        if path is None:
            continue
        mine = prefixes(path.rpartition(".")[0] if i in whole else path)
        for b in blocks[i]:
            known = found.setdefault(b, mine)
            found[b] = [p for p in known if p in mine]
    return {b: last[-1] if last else "" for b, last in found.items()}


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
