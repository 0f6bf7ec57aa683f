"""What a module does when it runs: every operation, on tensors that have shapes and no elements.

Two public hooks nest (``modes.py``); beside them it is followed which module runs, where functions
of PyTorch call each other, and where a function of the user's has a backward of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812  # as everyone calls it
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from symledger.tracing.runs.checkpointed import blocks
from symledger.tracing.runs.modes import Functions, Operators
from symledger.tracing.runs.recorder import Recorder, elements, tensors
from symledger.tracing.runs.recording import Recording, Step, collapsed
from symledger.tracing.runs.routes import Routes
from symledger.tracing.runs.torch_version import INNER, FunctionBase, without_validation
from symledger.tracing.runs.whole import WHOLE


def record(
    module: torch.nn.Module, inputs: Mapping[str, torch.Tensor],
    run: Callable[[torch.nn.Module], Any], recorder: Recorder | None = None, loops: bool = False,
    routes: Routes | None = None,
) -> Recording:  # fmt: skip
    """Run a module once and return what it did.

    ``inputs`` are the tensors that enter, by name; ``run`` calls the module with them. With
    ``loops`` what is cut into single positions is written down position by position; ``routes`` say
    how many rows are told of what sends tokens to experts.
    """
    recorder = recorder or Recorder(module)
    recorder.loops = loops
    recorder.routes = routes or recorder.routes
    for name, x in inputs.items():
        kind = tuple(x.shape), elements(x.dtype)
        recorder.add(Step("input", {"name": name}, (kind,)), (x,))
    functions = Functions(recorder)
    with modules(recorder), Operators(recorder), functions, inner_calls(functions), \
            own_functions(recorder), blocks(recorder), without_validation():  # fmt: skip
        result = run(module)
    outputs = tuple(dict.fromkeys(tensors(result)))
    recorder.recording.outputs = tuple(recorder.ref(x) for x in outputs)
    for name, weight in module.named_parameters():  # those that nothing uses
        recorder.stack.append(name.rpartition(".")[0])
        recorder.ref(weight)
        recorder.stack.pop()
    recorder.recording.effects = tuple(recorder.effects.items())
    recorder.recording.custom = tuple(recorder.custom)
    return collapsed(recorder.recording)


@contextmanager
def running_again(recorder: Recorder) -> Iterator[None]:
    """Run blocks in the backward pass as they were run forward, and write nothing down."""
    if not recorder.blocks:
        yield
        return
    functions = Functions(recorder)
    recorder.again = True
    with Operators(recorder), functions, inner_calls(functions):
        yield


@contextmanager
def own_functions(recorder: Recorder) -> Iterator[None]:
    """Note where functions with a backward of their own run.

    Their forward runs without gradients, which is no wish of the module's to cut them. A user may
    have taken ``apply`` of a class before: what it calls in turn is looked up when it runs.
    """
    kind = FunctionBase

    def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
        if not cls.__module__.startswith("torch."):
            recorder.custom[recorder.stack[-1], cls.__name__] = None
        before, recorder.graded = recorder.graded, False
        try:
            return super(kind, cls).apply(*args, **kwargs)
        finally:
            recorder.graded = before

    kind.apply = classmethod(apply)
    try:
        yield
    finally:
        del kind.apply


@contextmanager
def inner_calls(functions: Functions) -> Iterator[None]:
    """See what is kept whole also where functions of PyTorch call each other.

    Inside a function that it has seen, a mode is off: attention inside of
    ``multi_head_attention_forward`` would come down to operators. What is called by its name in
    PyTorch's own file of functions goes through the mode all the same.
    """
    originals = {n: f for n in INNER if (f := getattr(F, n)) in WHOLE}

    def seen(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return functions.__torch_function__(function, (), args, kwargs)

        return call

    for name, function in originals.items():
        inner = seen(function)
        functions.originals[inner] = function
        setattr(F, name, inner)
    try:
        yield
    finally:
        for name, function in originals.items():
            setattr(F, name, function)


@contextmanager
def modules(recorder: Recorder) -> Iterator[None]:
    """Follow which module runs."""

    def enter(module: torch.nn.Module, args: Any) -> None:
        recorder.stack.append(recorder.paths.get(id(module), recorder.stack[-1]))

    def leave(module: torch.nn.Module, args: Any, output: Any) -> None:
        recorder.stack.pop()

    hooks = (
        register_module_forward_pre_hook(enter),
        register_module_forward_hook(leave, always_call=True),
    )
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
