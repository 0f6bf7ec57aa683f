"""What PyTorch says of a module at a point: parameters, FLOPs of both passes, bytes that it keeps.

Everything runs on tensors without elements. PyTorch's counter and its hooks are public, and share
nothing with the formulas but the run of the module. What they say otherwise than any GPU does, or
not at all, is put right here, and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode

from symledger.tracing.modules.subject import Subject
from symledger.tracing.runs.record import record, running_again
from symledger.tracing.runs.recorder import Recorder
from symledger.tracing.runs.recording import Recording, Step, fixed_steps, refs_in
from symledger.tracing.runs.routes import Routes
from symledger.tracing.runs.torch_version import (
    ADDING,
    BAGS,
    DRAWING,
    OF_PROCESSORS,
    STACK,
    TANH,
    UNCOUNTED,
    UNREAD,
    storage_id,
)
from symledger.tracing.runs.whole import WHOLE, arguments_of


@dataclass(frozen=True)
class Measured:
    """What PyTorch said at a point; ``unused`` are parameters that no operation takes.

    ``artefacts`` are bytes among the ``saved`` ones that no formula has, by what they are;
    ``where`` are all others, by the path of the module that made them, without layers' numbers.
    """

    params: int
    frozen: int
    unused: tuple[str, ...]
    forward: int
    backward: int
    saved: int
    artefacts: Mapping[str, int]
    where: Mapping[str, int]


class MeasuringRecorder(Recorder):
    """Knows which step made each tensor."""

    counted = True

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__(module)
        self.made: list[tuple[torch.Tensor, ...]] = []
        self.unrolled: Unrolled | None = None
        self.inner_tables: set[int] = set()
        self.shown: dict[int, int] = {}
        self.rows: list[Stacked] = []
        self.masks: set[int] = set()

    def add(self, step: Step, made: tuple[torch.Tensor, ...]) -> None:
        """Write a step down, and keep what it made."""
        super().add(step, made)
        self.made.append(made)

    def called(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run a function that is kept whole; one that goes along time is looked into."""
        name = WHOLE[func].name
        self.unrolled = unrolled = Unrolled() if name in BY_STEP else None
        result = super().called(func, args, kwargs)
        self.unrolled = None
        if unrolled:
            rows = unrolled.rows[: len(unrolled.rows) - BY_STEP[name]]
            two = len(rows) > 1 and arguments_of(WHOLE[func], args, kwargs)["bidirectional"]
            self.rows += [
                replace(row, shown=result[0]) if len(rows) - i <= 1 + bool(two) else row
                for i, row in enumerate(rows)
            ]
            self.shown |= unrolled.shown
            self.masks |= unrolled.masks
        return result

    def operated(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run an operator; note what a function that is kept whole keeps inside."""
        result = super().operated(func, args, kwargs)
        if func is BAGS and self.whole:
            made = (args[2], *result[1:3])
            self.inner_tables |= {storage_id(x) for x in made}
            self.alive += made
        elif self.unrolled:
            self.unrolled.note(func, args, result)
            self.alive.append(result)
        return result


BY_STEP = {"lstm": 2, "lstm_cell": 0, "gru": 1, "rnn_tanh": 1, "rnn_relu": 1}
"""Functions that run step by step without elements, and how many states each returns as one."""


@dataclass(frozen=True)
class Stacked:
    """A sequence that was stacked of steps: storages, bytes, and the tensor it is shown as."""

    storage: int
    bytes: int
    steps: tuple[int, ...]
    shown: torch.Tensor | None = None


class Unrolled:
    """What a recurrent network keeps step by step, where a kernel keeps it as one."""

    def __init__(self) -> None:
        self.sums: set[int] = set()
        self.shown: dict[int, int] = {}
        self.rows: list[Stacked] = []
        self.masks: set[int] = set()

    def note(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        """Remember the steps that are stacked, and what shows the state of a cell."""
        if func in ADDING:
            self.sums.add(storage_id(result))
        elif func is TANH and storage_id(args[0]) in self.sums:
            self.shown[storage_id(result)] = storage_id(args[0])
        elif func is DRAWING:
            self.masks.add(storage_id(result))
        elif func is STACK:
            n = result.untyped_storage().nbytes()
            self.rows.append(Stacked(storage_id(result), n, tuple(map(storage_id, args[0]))))


def measured(subject: Subject, values: Mapping[str, Any], at: Mapping[str, int]) -> Measured:
    """Run a module forward and backward at a point, and say what PyTorch says.

    ``values`` are the arguments there.
    """
    module = subject.build(values)
    inputs = {x.name: x.made(at) for x in subject.inputs}
    recorder = MeasuringRecorder(module)
    counter = FlopCounterMode(display=False, custom_mapping=UNCOUNTED)
    kept: dict[int, torch.UntypedStorage] = {}
    times: Counter[int] = Counter()
    whole: dict[int, torch.dtype] = {}
    packed: dict[int, str] = {}
    asked: set[int] = set()

    def pack(t: torch.Tensor) -> torch.Tensor:
        if recorder.again:  # what is computed again is there for one block at a time
            return t
        n = storage_id(t)
        kept[n], whole[n] = t.untyped_storage(), t.dtype
        times[n] += 1
        packed.setdefault(n, recorder.stack[-1])
        return t

    def unpack(t: torch.Tensor) -> torch.Tensor:
        asked.add(storage_id(t))
        return t

    with counter, saved_tensors_hooks(pack, unpack):
        recording = record(module, inputs, lambda m: subject.run(m, inputs), recorder,
                           subject.loops, Routes(subject.rows, at))
        forward = counter.get_total_flops()
        ends = [recorder.made[recording.kept[r.node]][r.result] for r in recording.outputs]
        asking = [y for y in ends if y.requires_grad]
        for x in recorder.held:
            pack(x)
        if asking:
            with running_again(recorder):
                torch.autograd.backward(asking, [torch.zeros_like(y) for y in asking])
    weights = parameters_of(module)
    own = {storage_id(t) for t in (*weights, *module.buffers())}
    kept = {n: s for n, s in kept.items() if n in asked - own}  # not of results nobody uses
    artefacts, where = _artefacts(recorder, kept, whole, packed, times)
    return Measured(
        sum(p.numel() for p in weights), sum(p.numel() for p in weights if not p.requires_grad),
        tuple(_unused(module, recording)), forward, counter.get_total_flops() - forward,
        sum(s.nbytes() for s in kept.values()), artefacts, where,
    )  # fmt: skip


def parameters_of(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Return each parameter once, by what modules hold, whatever their methods say of it."""
    found: dict[int, torch.nn.Parameter] = {}
    seen, left = set(), [module]
    while left:
        part = left.pop()
        if id(part) not in seen:
            seen.add(id(part))
            found |= {id(p): p for p in part._parameters.values() if p is not None}
            left += [m for m in part._modules.values() if m is not None]
    return list(found.values())


def _artefacts(
    recorder: MeasuringRecorder, kept: Mapping[int, torch.UntypedStorage],
    whole: Mapping[int, torch.dtype], packed: Mapping[int, str], times: Mapping[int, int],
) -> tuple[dict[str, int], dict[str, int]]:  # fmt: skip
    """Return the bytes that are kept and that no formula has, by what they are; others by path."""
    fixed = fixed_steps(recorder.recording)
    made = enumerate(recorder.made)
    filled = {storage_id(x) for i, several in made if i not in fixed for x in several}
    tables = {storage_id(x) for i in fixed for x in recorder.made[i]} - filled
    tables |= recorder.inner_tables
    paths = {
        storage_id(x): step.path
        for step, made in reversed(list(zip(recorder.recording.steps, recorder.made, strict=True)))
        for x in made
    }  # fmt: skip
    unread = Counter(
        storage_id(recorder.made[r.node][r.result])
        for step in recorder.recording.steps if step.operation in UNREAD and not step.within
        for r in (step.arguments[UNREAD[step.operation]],)
    )  # fmt: skip
    of_processors = {
        storage_id(made[OF_PROCESSORS[step.operation]])
        for step, made in zip(recorder.recording.steps, recorder.made, strict=True)
        if step.operation in OF_PROCESSORS
    }  # fmt: skip
    found: dict[str, int] = {}
    where: dict[str, int] = {}
    for n, storage in kept.items():
        if n in recorder.written_out:
            name, extra = "heads and blocks written out for the kernel", recorder.written_out[n]
        elif whole[n] == torch.uint64:
            name, extra = "the state of a generator", storage.nbytes()
        elif n in tables:
            name, extra = "tables", storage.nbytes()
        elif unread[n] == times[n]:
            name, extra = "what is kept for its shape alone", storage.nbytes()
        elif n in of_processors:
            name, extra = "what no kernel of a GPU fills", storage.nbytes()
        elif recorder.shown.get(n) in kept:
            name, extra = "tanh of cell states", storage.nbytes()
        elif n in recorder.masks:
            name, extra = MASKS, storage.nbytes() - storage.nbytes() // whole[n].itemsize
        else:
            name, extra = "", 0
        if name:
            found[name] = found.get(name, 0) + extra
        if storage.nbytes() > extra:
            path = unnumbered(paths.get(n, packed[n]))
            where[path] = where.get(path, 0) + storage.nbytes() - extra
    used = {r for s in recorder.recording.steps for r in refs_in(tuple(s.arguments.values()))}
    for row in recorder.rows:
        apart = sum(kept[n].nbytes() for n in row.steps if n in kept)
        read = row.shown is None or recorder.ref(row.shown) in used
        if apart and read:
            extra = apart + (row.bytes if row.storage in kept else 0) - row.bytes
            found[STEPWISE] = found.get(STEPWISE, 0) + extra
    return found, where


MASKS = "masks of floats, which have a byte an element on a GPU"
STEPWISE = "states kept step by step in place of their sequence"


def unnumbered(path: str) -> str:
    """Return a path without the numbers of layers."""
    return ".".join(part for part in path.split(".") if not part.isdecimal())


def _unused(module: torch.nn.Module, recording: Recording) -> Iterator[str]:
    taken = {r.node for s in recording.steps for r in refs_in(tuple(s.arguments.values()))}
    used = {
        s.arguments["name"] for i, s in enumerate(recording.steps)
        if s.operation == "weight" and i in taken
    }  # fmt: skip
    yield from (name for name, _ in module.named_parameters() if name not in used)
