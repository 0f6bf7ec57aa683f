"""Which storages each operation of PyTorch makes, and which are gone with it.

Nothing but a hook under the operators looks on, so that every storage dies when it would: with its
last name in Python, or with what a node of the backward pass has saved.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from symledger.errors import BadInput
from symledger.tracing.runs.modes import name_of
from symledger.tracing.runs.recorder import Recorder, tensors
from symledger.tracing.runs.torch_version import (
    READS,
    DispatchMode,
    number_of_last_node,
    number_of_this_node,
)

START, FORWARD, BACKWARD = "start", "forward", "backward"
WEIGHTS, BUFFERS, INPUTS = "weights", "buffers", "inputs"
GRADIENTS, KEPT, WORKING = "gradients", "kept", "working"


@dataclass(eq=False)
class Storage:
    """A storage: its bytes, what it is for, and whole numbers whose product the bytes are.

    These are the lengths of the tensor that it was made for, and the bytes of an element.
    """

    bytes: int
    kind: str
    factors: tuple[int, ...]


@dataclass
class Change:
    """One operation: the storages that it makes, and those that were gone when it ended."""

    way: str
    operation: str
    path: str
    born: list[Storage] = field(default_factory=list)
    gone: list[Storage] = field(default_factory=list)


class Live(DispatchMode):  # type: ignore[misc]  # PyTorch does not type it
    """Follows every storage from its birth to its death."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder
        self.changes: list[Change] = []
        self.alive: dict[int, tuple[Any, Storage]] = {}
        self.dead: list[Storage] = []
        self.way = START
        self.answers: Iterator[Any] = iter(())
        self.paths: dict[int, str] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operator, and note what there is in memory then."""
        name = name_of(func)
        if name == READS:
            return self._answer()
        result = func(*args, **(kwargs or {}))
        change = Change(self.way, name, self._path())
        for x in tensors(result):
            self.note(x, change)
        if "resize" in name:
            for x in tensors(args):
                self.note(x, change)
        self.end(change)
        return result

    def made(self, x: torch.Tensor) -> None:
        """Note a tensor that no operator made, if its storage is new."""
        change = Change(self.way, "torch.tensor", self._path())
        if x.numel():
            self.note(x, change)
        if change.born:
            self.end(change)

    def _answer(self) -> Any:
        """Return the number that is read next."""
        for answer in self.answers:
            return answer
        raise Unanswered("it reads a number out of a tensor.")

    def _path(self) -> str:
        """The module that an operation belongs to: going back, that of what it is the gradient of.

        Nodes are numbered in the order in which they are made.
        """
        here = self.recorder.stack[-1]
        if self.way == FORWARD or here:
            self.paths.setdefault(number_of_last_node(), here)
            return here
        number = number_of_this_node()
        return self.paths.get(-1 if number is None else number, "")

    def end(self, change: Change) -> None:
        """Write an operation down, with what is gone since the one before."""
        change.gone, self.dead = self.dead, []
        self.changes.append(change)

    def note(self, x: torch.Tensor, change: Change, kind: str = WORKING) -> None:
        """Note the storage of a tensor, if it is new, or not as large as it was."""
        there = x.untyped_storage()
        key, size = there._cdata, there.nbytes()
        known = self.alive.get(key)
        if known is not None and known[0]() is not None:
            if known[1].bytes == size:
                return
            self.dead.append(known[1])
        each = x.element_size()
        whole = x.numel() * each == size
        made = Storage(size, kind, (*x.shape, each) if whole else (size,))

        def over(_: Any, key: int = key, made: Storage = made) -> None:
            if key in self.alive and self.alive[key][1] is made:
                del self.alive[key]
                self.dead.append(made)

        self.alive[key] = weakref.ref(there, over), made
        change.born.append(made)

    def are(self, kind: str, several: Iterable[torch.Tensor]) -> None:
        """Say what storages that are alive are for."""
        for x in several:
            self.alive[x.untyped_storage()._cdata][1].kind = kind

    def leaf(self, x: torch.Tensor, kind: str, name: str) -> None:
        """Note what is there before anything runs."""
        change = Change(START, kind, name)
        self.note(x, change, kind)
        if change.born:
            self.end(change)


class Constants(TorchFunctionMode):  # type: ignore[misc]  # PyTorch does not type it
    """Sees what is made of numbers: on a device without elements no operator does that."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run a function, and note the tensor that it made of numbers."""
        result = func(*args, **(kwargs or {}))
        if func is torch.tensor:
            self.live.made(result)
        return result


@dataclass
class Lived:
    """All operations of a run at a point, and what they did to storages."""

    at: dict[str, int]
    changes: list[Change]

    @property
    def totals(self) -> Iterator[int]:
        """The bytes alive after every operation."""
        now = 0
        for change in self.changes:
            now += sum(s.bytes for s in change.born) - sum(s.bytes for s in change.gone)
            yield now


class Unanswered(BadInput):
    """A module reads a number out of a tensor, which has to be known before."""
