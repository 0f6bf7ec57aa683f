"""A step of training, or a pass of inference, as PyTorch runs it: what is alive when."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from symledger.errors import BadInput
from symledger.traces.alive import How
from symledger.tracing.eager.live import (
    BACKWARD,
    BUFFERS,
    FORWARD,
    GRADIENTS,
    INPUTS,
    KEPT,
    WEIGHTS,
    WORKING,
    Change,
    Constants,
    Live,
    Lived,
    Unanswered,
)
from symledger.tracing.eager.serving import answered, prompt
from symledger.tracing.runs.limit import limited
from symledger.tracing.runs.record import modules, record
from symledger.tracing.runs.recorder import Recorder, tensors
from symledger.tracing.runs.routes import Routes
from symledger.tracing.spaces.space import Space, unfolded

TYPES = {
    "fp64": torch.float64, "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16,
}  # fmt: skip
"""The types in which a module can be built: floats are of these unless it says otherwise."""
There = Mapping[str, Iterable[tuple[str, torch.Tensor]]]
"""What is there before anything runs, with its name, by kind."""


def lived(space: Space, at: Mapping[str, int], how: How) -> Lived:
    """Run a module at a point, and say which storages were alive when.

    Raises:
        BadInput: it does not run so.
    """
    try:
        return _lived(space, at, how, [])
    except Unanswered:
        return _lived(space, at, how, read(space, at))


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
    with limited(subject.name), uncollected():
        with by_default(how.dtype):
            module = subject.build(unfolded(subject, at))
        try:
            if how.serving:
                changes = _served(space, module, at, how, answers)
            else:
                changes = _stepped(space, module, at, how, answers)
        except BadInput:
            raise
        except (RuntimeError, NotImplementedError, TypeError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            what = "pass of inference" if how.serving else "step of training"
            raise BadInput(f"its {what} does not run without elements: {said}") from error
    return Lived(dict(at), changes)


def _stepped(
    space: Space, module: torch.nn.Module, at: Mapping[str, int], how: How, answers: list[Any]
) -> list[Change]:
    """Run a step of training; behind another batch, which has left gradients, the second one."""
    subject = space.subject

    def step() -> list[Change]:
        made = {x.name: of_type(x.made(at), how.dtype) for x in subject.inputs}
        given = made if how.input_gradient else {n: x.detach() for n, x in made.items()}
        return _trained(module, given, lambda: subject.run(module, given), answers)

    return [step(), step()][1] if how.accumulate else step()


def _trained(
    module: torch.nn.Module, entering: Mapping[str, torch.Tensor], run: Callable[[], Any],
    answers: list[Any],
) -> list[Change]:  # fmt: skip
    weights = dict(module.named_parameters())
    before = ((name, w.grad) for name, w in weights.items() if w.grad is not None)
    there: There = {
        WEIGHTS: weights.items(), BUFFERS: module.named_buffers(), GRADIENTS: before,
        INPUTS: entering.items(),
    }  # fmt: skip
    with watched(module, there, answers) as live:
        result = run()
        live.way = BACKWARD
        for _, storage in live.alive.values():
            storage.kind = KEPT if storage.kind == WORKING else storage.kind
        _back(result)
    for p in {id(p): p for p in module.parameters() if p.grad is not None}.values():
        live.are(GRADIENTS, [p.grad])
    return live.changes


def _served(
    space: Space, module: torch.nn.Module, at: Mapping[str, int], how: How, answers: list[Any]
) -> list[Change]:
    """Run a pass of inference: what a module keeps between tokens is held, nothing for gradients.

    Of decoding, the tokens before were read, and are let go, before it is looked.
    """
    with torch.no_grad():
        subject, entering, past = prompt(space.subject, module, at, how)
        entering = {n: of_type(x, how.dtype) for n, x in entering.items()}
        there: There = {
            WEIGHTS: module.named_parameters(), BUFFERS: module.named_buffers(), KEPT: past,
            INPUTS: entering.items(),
        }  # fmt: skip
        with watched(module, there, answers) as live:
            result = subject.run(module, entering)
    live.are(KEPT, answered(result))
    return live.changes


@contextmanager
def watched(module: torch.nn.Module, there: There, answers: list[Any]) -> Iterator[Live]:
    """Look on while a module runs; what is there before is noted first."""
    recorder = Recorder(module)
    live = Live(recorder)
    live.answers = iter(answers)
    for kind, several in there.items():
        for name, x in several:
            live.leaf(x, kind, name)
    with modules(recorder), live, Constants(live):
        live.way = FORWARD
        yield live


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
