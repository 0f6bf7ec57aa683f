"""By how much a reference differs in what depends on how it is written, line by line of the ledger.

Modules of the reference are lines of the definition where they hold the same weights, as the
family's table of tensors says; what stands between them belongs to what is around it. The reason of
a difference is what the reference does there: its operations are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.checks.traced.translation import Translation, said
from symledger.config_keys.family import Family
from symledger.readings.tally import Tally
from symledger.traces.graph import LEAVES, Graph
from symledger.tracing.checking.checks import amounts
from symledger.tracing.checking.measured import unnumbered

MOST = 6
"""Lines, and operations of a line, that are shown."""

MOVING = (
    "repeat", "table", "alias", "view", "_unsafe_view", "reshape", "transpose", "permute", "t",
    "expand", "slice", "select", "unsqueeze", "squeeze", "cat", "clone", "contiguous", "split",
    "chunk", "unbind", "detach", "copy",
)  # fmt: skip
"""Operations that compute nothing, and explain no difference."""


class Lines:
    """Which line of a definition each module of its reference is."""

    def __init__(self, family: Family, parameters: Iterable[str], graph: Graph) -> None:
        self.places: dict[str, str] = {}
        held: dict[str, list[list[str]]] = {}
        for name in parameters:
            partners = family.tensors.get(name) or family.tensors.get(f"model.{name}") or ()
            parts = unnumbered(name.replace("*", "0")).split(".")[:-1]
            for ours in partners[:1]:
                for i in range(1, len(parts) + 1):
                    held.setdefault(".".join(parts[:i]), []).append(ours.split(".")[:-1])
        for module, lines in held.items():
            self.places[module] = ".".join(shared(lines))
        self.lines = sorted({*self.places.values(), ""}, key=len, reverse=True)
        self.operations: dict[str, dict[str, None]] = {}
        for path, operation in _operations(graph):
            self.operations.setdefault(self.theirs(path), {}).setdefault(operation)

    def theirs(self, path: str) -> str:
        """Return the line that a module of the reference is, or is in."""
        parts = unnumbered(path).split(".")
        inner = (".".join(parts[:i]) for i in range(len(parts), 0, -1))
        return next((self.places[m] for m in inner if m in self.places), "")

    def ours(self, path: str) -> str:
        """Return the line, of those that both have, that a part of the definition is in."""
        return next(n for n in self.lines if not n or path == n or path.startswith(f"{n}."))


def shared(lines: Iterable[list[str]]) -> list[str]:
    """Return the parts that all lines begin with."""
    same = takewhile(lambda parts: len({*parts}) == 1, zip(*lines, strict=False))
    return [parts[0] for parts in same]


def _operations(graph: Graph) -> Iterator[tuple[str, str]]:
    for body in graph.bodies:
        for node in body.nodes:
            name = node.operation.removeprefix("aten.")
            if name not in (*LEAVES, *MOVING):
                yield node.path, name


def spelled(
    translation: Translation, lines: Lines, account: Account, reference: Account, quantity: str
) -> tuple[str, ...]:
    """Return by how much the reference has more, line by line, and what it does there."""
    found: dict[str, Terms] = {}
    theirs = ((lines.theirs(p), translation.theirs(t)) for p, t in _amounts(reference, quantity))
    ours = ((lines.ours(p), _less(translation.ours(t))) for p, t in _amounts(account, quantity))
    for line, amount in (*theirs, *ours):
        found[line] = algebra.add([found.get(line, {}), amount])
    rows = {line: amount for line, amount in found.items() if amount}
    return tuple(
        f"{line or account.target.owner}: {said(amount)} more; there: {_named(lines, line)}"
        for line, amount in sorted(rows.items())[:MOST]
    )


def _amounts(account: Account, quantity: str) -> Iterator[tuple[str, Terms]]:
    tally: Tally = account.readings.tally(quantity)
    yield from ((path, algebra.terms(e)) for path, e in amounts(tally))


def _less(terms: Terms) -> Terms:
    return {monomial: -c for monomial, c in terms.items()}


def _named(lines: Lines, line: str) -> str:
    names = list(lines.operations.get(line, {}))
    rest = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return (", ".join(names[:MOST]) or "nothing that computes") + rest
