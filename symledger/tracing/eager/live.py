"""One step of training as PyTorch runs it: which storages each operation makes, and which are gone.

Nothing but a hook under the operators looks on, so that every storage dies when it would: with its
last name in Python, or with what a node of the backward pass has saved.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from symledger.errors import BadInput
from symledger.traces.alive import How
from symledger.tracing.limit import limited
from symledger.tracing.modes import name_of
from symledger.tracing.record import modules, record
from symledger.tracing.recorder import Recorder, tensors
from symledger.tracing.routes import Routes
from symledger.tracing.space import Space, unfolded
from symledger.tracing.torch_version import (
    READS,
    DispatchMode,
    number_of_last_node,
    number_of_this_node,
)

START, FORWARD, BACKWARD = "start", "forward", "backward"
WEIGHTS, BUFFERS, INPUTS = "weights", "buffers", "inputs"
GRADIENTS, KEPT, WORKING = "gradients", "kept", "working"


TYPES = {
    "fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16,
}  # fmt: skip
"""The types in which a module can be built: floats are of these unless it says otherwise."""


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

    def leaf(self, x: torch.Tensor, kind: str, name: str) -> None:
        """Note what is there before anything runs."""
        change = Change(START, kind, name)
        self.note(x, change, kind)
        if change.born:
            self.end(change)


@dataclass
class Lived:
    """All operations of a forward and a backward pass at a point, and what they did to storages."""

    at: dict[str, int]
    changes: list[Change]

    @property
    def totals(self) -> Iterator[int]:
        """The bytes alive after every operation."""
        now = 0
        for change in self.changes:
            now += sum(s.bytes for s in change.born) - sum(s.bytes for s in change.gone)
            yield now


def lived(space: Space, at: Mapping[str, int], how: How) -> Lived:
    """Run a module forward and backward at a point, and say which storages were alive when.

    Raises:
        BadInput: it does not run so.
    """
    try:
        return _lived(space, at, how, [])
    except Unanswered:
        return _lived(space, at, how, read(space, at))


class Unanswered(BadInput):
    """A module reads a number out of a tensor, which has to be known before."""


def read(space: Space, at: Mapping[str, int]) -> list[Any]:
    """Return the numbers that a module reads out of tensors, in order, where they follow.

    Raises:
        BadInput: they depend on data.
    """
    subject = space.subject
    with limited(subject.name):
        module = subject.build(unfolded(subject, at))
        entering = {x.name: x.made(at) for x in subject.inputs}
        recorder = Recorder(module)
        record(module, entering, lambda m: subject.run(m, entering), recorder,
               routes=Routes(subject.rows, at))  # fmt: skip
    return recorder.read


def _lived(space: Space, at: Mapping[str, int], how: How, answers: list[Any]) -> Lived:
    subject = space.subject

    def entering() -> dict[str, torch.Tensor]:
        made = {x.name: of_type(x.made(at), how.dtype) for x in subject.inputs}
        return made if how.input_gradient else {n: x.detach() for n, x in made.items()}

    def step() -> list[Change]:
        given = entering()
        return _run(module, given, lambda: subject.run(module, given), answers)

    with limited(subject.name), uncollected():
        with by_default(how.dtype):
            module = subject.build(unfolded(subject, at))
        try:
            changes = step()
            if how.accumulate:  # the batch before has left gradients
                changes = step()
        except BadInput:
            raise
        except (RuntimeError, NotImplementedError, TypeError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise BadInput(f"its step of training does not run without elements: {said}") from error
    return Lived(dict(at), changes)


def _run(
    module: torch.nn.Module,
    entering: Mapping[str, torch.Tensor],
    run: Callable[[], Any],
    answers: list[Any],
) -> list[Change]:
    recorder = Recorder(module)
    live = Live(recorder)
    live.answers = iter(answers)
    weights = dict(module.named_parameters())
    before = ((name, w.grad) for name, w in weights.items() if w.grad is not None)
    for kind, several in ((WEIGHTS, weights.items()), (BUFFERS, module.named_buffers()),
                          (GRADIENTS, before), (INPUTS, entering.items())):  # fmt: skip
        for name, x in several:
            live.leaf(x, kind, name)
    with modules(recorder), live:
        live.way = FORWARD
        result = run()
        live.way = BACKWARD
        for _, storage in live.alive.values():
            storage.kind = KEPT if storage.kind == WORKING else storage.kind
        _back(result)
    own = {id(p): p for p in module.parameters() if p.grad is not None}
    for p in own.values():
        _, storage = live.alive[p.grad.untyped_storage()._cdata]
        storage.kind = GRADIENTS
    return live.changes


def _back(result: Any) -> None:
    """Go back from what came out; from the loss alone, where one single number is among it."""
    ends = [x for x in dict.fromkeys(tensors(result)) if x.requires_grad]
    losses = [x for x in ends if x.numel() == 1 and not x.dim()]
    with torch.device("meta"):
        if len(losses) == 1:
            losses[0].backward()
        elif ends:
            torch.autograd.backward(ends, [torch.ones_like(x) for x in ends])


def of_type(x: torch.Tensor, dtype: str) -> torch.Tensor:
    """Return what enters in the type in which a module is built; whole numbers stay."""
    return x.detach().to(TYPES[dtype]).requires_grad_().clone() if x.requires_grad else x


@contextmanager
def by_default(dtype: str) -> Iterator[None]:
    """Let floats be of a type where none is said, while a module is built."""
    was = torch.get_default_dtype()
    torch.set_default_dtype(TYPES[dtype])
    try:
        yield
    finally:
        torch.set_default_dtype(was)


@contextmanager
def uncollected() -> Iterator[None]:
    """Let nothing be collected while a module runs: storages die when nothing names them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
