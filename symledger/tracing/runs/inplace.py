"""What is written in place, as operations that make new tensors.

A tensor that was written into is from then on what the operation made. What it was a view of
changes with it: there the new elements are put back, by the view undone. Other views of that are
taken anew when something asks for them. Through ``detach`` elements are shared and gradients are
not: what was detached from is refused once that was written into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from symledger.errors import BadInput
from symledger.tracing.runs.torch_version import RESHAPED, schema_of


class Writer(Protocol):
    """What is asked of a recorder here."""

    def where(self) -> str:
        """Say which module runs, and where the user's file is."""

    def step(self, operation: str, arguments: Mapping[str, Any], result: Any) -> None:
        """Write down one operation and what it gave."""

    def changed(self, x: torch.Tensor) -> None:
        """Note that a tensor is written into."""


SAME = ("aten.alias", "aten.view_as", "aten.lift_fresh")


@dataclass(frozen=True)
class View:
    """How a tensor was seen in another one: the operation, and which of its results it is."""

    base: torch.Tensor
    operation: str
    arguments: Mapping[str, Any]
    results: tuple[torch.Tensor, ...]
    place: int


class InPlace:
    """Knows which tensors are views of which, and brings them up to date."""

    def __init__(self, recorder: Writer) -> None:
        self.recorder = recorder
        self.views: dict[int, View] = {}
        self.writes: dict[int, int] = {}
        self.seen: dict[int, int] = {}
        self.lost: set[int] = set()

    def note(self, func: Any, operation: str, arguments: Mapping[str, Any], result: Any) -> None:
        """Remember a view, as the operator's schema says that its results share elements."""
        schema = schema_of(func)
        if not any(r.alias_info and not r.alias_info.is_write for r in schema.returns):
            return
        base = next((arguments[a.name] for a in schema.arguments if a.alias_info), None)
        results = tuple(result) if isinstance(result, list | tuple) else (result,)
        if not isinstance(base, torch.Tensor):
            return
        for i, x in enumerate(results):
            if x is not base:
                self.views[id(x)] = View(base, operation, dict(arguments), results, i)
                self.seen[id(x)] = self.writes.get(id(self.root(x)), 0)

    def root(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tensor that all views in a chain are of."""
        while id(x) in self.views:
            x = self.views[id(x)].base
        return x

    def refresh(self, x: torch.Tensor) -> None:
        """Take a view anew if something was written since into what it is a view of.

        Raises:
            BadInput: what it shares its elements with was written into, past its gradient.
        """
        if id(x) in self.lost:
            raise BadInput(
                f"{self.recorder.where()} uses a tensor after something was written in place into "
                "what was detached from it: write into the tensor itself."
            )
        view = self.views.get(id(x))
        if view is None or self.seen[id(x)] == self.writes.get(id(self.root(x)), 0):
            return
        self.recorder.step(view.operation, view.arguments, view.results)
        for each in view.results:
            self.seen[id(each)] = self.writes.get(id(self.root(x)), 0)

    def written(self, x: torch.Tensor) -> None:
        """Put what was written into a tensor back into what it is a view of, at every level.

        Raises:
            BadInput: it is a view that cannot be undone.
        """
        root = self.root(x)
        self.recorder.changed(root)
        fresh, at = [x], x
        while id(at) in self.views:
            view = self.views[id(at)]
            if view.operation == "aten.detach":
                self.lose(view.base)
                break
            operation, arguments = undone(view, at, self.recorder)
            self.recorder.step(operation, arguments, view.base)
            at = view.base
            fresh.append(at)
        self.writes[id(root)] = self.writes.get(id(root), 0) + 1
        for each in fresh:
            self.seen[id(each)] = self.writes[id(root)]

    def lose(self, x: torch.Tensor) -> None:
        """Note that a tensor, and what it is a view of, is not to be used any more."""
        self.lost.add(id(x))
        while id(x) in self.views:
            x = self.views[id(x)].base
            self.lost.add(id(x))


def undone(view: View, x: torch.Tensor, recorder: Writer) -> tuple[str, dict[str, Any]]:
    """Return the operation that gives what x is a view of, now that x has other elements."""
    given, base, name = view.arguments, view.base, view.operation
    if name in SAME:
        return "aten.alias", {"self": x}
    if name in RESHAPED:
        return "aten.view", {"self": x, "size": tuple(base.shape)}
    if name in ("aten.transpose", "aten.t", "aten.permute"):
        return "aten.permute", {"self": x, "dims": turned_back(name, given, base.dim())}
    if name == "aten.select":
        return "aten.select_scatter", {"self": base, "src": x, "dim": given["dim"],
                                       "index": given["index"]}  # fmt: skip
    if name == "aten.unbind":
        return "aten.select_scatter", {"self": base, "src": x, "dim": given["dim"],
                                       "index": view.place}  # fmt: skip
    if name == "aten.slice":
        start = given["start"] or 0
        steps = {} if given["step"] == 1 else {"step": given["step"]}
        return "aten.slice_scatter", {"self": base, "src": x, "dim": given["dim"], "start": start,
                                      **steps}  # fmt: skip
    if name in ("aten.split", "aten.split_with_sizes", "aten.chunk"):
        start = sum(y.shape[given["dim"]] for y in view.results[: view.place])
        return "aten.slice_scatter", {"self": base, "src": x, "dim": given["dim"], "start": start}
    raise BadInput(f"{recorder.where()} writes in place into a tensor that {name} made a view of: "
                   "that is not understood. Write into the tensor itself.")  # fmt: skip


def turned_back(name: str, given: Mapping[str, Any], rank: int) -> tuple[int, ...]:
    """Return the order of axes that undoes another one."""
    order = list(range(rank))
    if name == "aten.permute":
        order = [d % rank for d in given["dims"]]
    else:
        a, b = (given["dim0"] % rank, given["dim1"] % rank) if name == "aten.transpose" else (0, -1)
        if rank > 1:
            order[a], order[b] = order[b], order[a]
    return tuple(order.index(i) for i in range(rank))


def targets(func: Callable[..., Any], given: Mapping[str, Any]) -> list[torch.Tensor]:
    """Return the tensors that an operator writes into, as its schema says."""
    found: list[torch.Tensor] = []
    for a in schema_of(func).arguments:
        x = given.get(a.name)
        if a.alias_info and a.alias_info.is_write and isinstance(x, torch.Tensor):
            found.append(x)
    return found
