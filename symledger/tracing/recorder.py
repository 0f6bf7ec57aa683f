"""What a module does when it runs: every operation, on tensors that have shapes and no elements.

Two public hooks nest. The outer one sees functions as they are called (``linear``, attention,
dropout …) and keeps those of ``WHOLE`` whole; the inner one sees what everything else comes down
to, the operators of ATen with all their arguments by name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.nn import functional as F  # noqa: N812  # as everyone calls it
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from symledger.errors import BadInput
from symledger.traces.graph import LEAVES, TABLE, Ref, makes_table
from symledger.tracing.fused import fused_attention
from symledger.tracing.inplace import InPlace, targets
from symledger.tracing.known import Known
from symledger.tracing.picking import with_places
from symledger.tracing.whole import WHOLE, arguments_of

MOST_NODES = 100_000
INNER = ("linear", "scaled_dot_product_attention", "dropout")
"""Functions that other functions of PyTorch call by their names."""
OWN = "the module's own forward"


@dataclass
class Step:
    """One operation as it ran: its arguments, with numbers as they were."""

    operation: str
    arguments: dict[str, Any]
    results: tuple[tuple[tuple[int, ...], str], ...]
    path: str = ""
    line: str = ""


@dataclass
class Recording:
    """All steps of one run, leaves among them, and which tensors came out."""

    steps: list[Step] = field(default_factory=list)
    outputs: tuple[Ref, ...] = ()
    effects: tuple[str, ...] = ()
    """Buffers and weights that are changed: running statistics."""
    custom: tuple[tuple[str, str], ...] = ()
    """Where an ``autograd.Function`` of the user's ran, and its name: its backward is not read."""
    kept: tuple[int, ...] = ()
    """Of each step, the place that it had before tables were collapsed."""


def elements(dtype: torch.dtype) -> str:
    """Say what the elements of a tensor are."""
    if dtype == torch.bool:
        return "bool"
    if dtype.is_complex:
        return "complex"
    return "float" if dtype.is_floating_point else "int"


class Recorder:
    """Writes down what runs, and knows each tensor by the step that made it."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.recording = Recording()
        self.places: dict[int, Ref] = {}
        self.alive: list[torch.Tensor] = []
        self.paths = {id(m): name for name, m in module.named_modules()}
        self.stack: list[str] = [""]
        self.whole = 0
        self.loops = False
        self.graded = torch.is_grad_enabled()
        self.known = Known()
        self.inplace = InPlace(self)
        self.effects: dict[str, None] = {}
        self.custom: dict[tuple[str, str], None] = {}
        self.written_out: dict[int, int] = {}
        self.leaves: dict[int, tuple[str, dict[str, Any]]] = {}
        for name, p in module.named_parameters():
            self.leaves[id(p)] = "weight", {"name": name, "trainable": p.requires_grad}
        for name, b in module.named_buffers():
            self.leaves[id(b)] = "buffer", {"name": name}

    def add(self, step: Step, made: tuple[torch.Tensor, ...]) -> None:
        """Write a step down, and remember what it made."""
        number = len(self.recording.steps)
        if number >= MOST_NODES:
            raise BadInput(
                f"this module runs more than {MOST_NODES:,} operations; the last of them in "
                f"{step.path or 'its forward'} ({step.line}). Trace it with fewer layers, or "
                "without a loop in Python over positions."
            )
        self.recording.steps.append(step)
        for i, x in enumerate(made):
            self.places[id(x)] = Ref(number, i)
        self.alive += made

    def ref(self, x: torch.Tensor) -> Ref:
        """Return which tensor this is; one that nothing here has made comes from outside."""
        self.inplace.refresh(x)
        found = self.places.get(id(x))
        if found is None:
            operation, arguments = self.leaves.get(id(x), ("constant", {"name": ""}))
            kind = tuple(x.shape), elements(x.dtype)
            self.add(Step(operation, dict(arguments), (kind,), self.stack[-1]), (x,))
            found = self.places[id(x)]
        return found

    def argument(self, x: Any) -> Any:
        """Return an argument as it is written down."""
        if isinstance(x, torch.Tensor):
            return self.ref(x)
        if isinstance(x, list | tuple | torch.Size):
            return tuple(map(self.argument, x))
        if x is None or isinstance(x, bool | str):
            return x
        if isinstance(x, int):
            return int(x)
        if isinstance(x, float):
            return float(x)
        return str(x)

    def step(self, operation: str, arguments: Mapping[str, Any], result: Any) -> None:
        """Write down one operation and what it gave."""
        several = result if isinstance(result, list | tuple) else (result,)
        made = tuple(x for x in several if isinstance(x, torch.Tensor))
        kinds = tuple((tuple(x.shape), elements(x.dtype)) for x in made)
        taken = {name: self.argument(x) for name, x in arguments.items()}
        self.add(Step(operation, taken, kinds, self.stack[-1], user_line()), made)

    def cut(self, result: Any) -> None:
        """Note that no gradient goes back from here, where the module says so (``no_grad``)."""
        if self.graded and not torch.is_grad_enabled():
            for x in tensors(result):
                if x.is_floating_point() or x.is_complex():
                    self.step("aten.detach", {"self": x}, x)

    def changed(self, x: torch.Tensor) -> None:
        """Note that a tensor is written into: of the module's own that is an effect."""
        if id(x) in self.leaves:
            self.effects[str(self.leaves[id(x)][1]["name"])] = None

    def where(self) -> str:
        """Say which module runs, and where the user's file is."""
        return f"{self.stack[-1] or OWN} ({user_line()})"

    def called(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run a function that is kept whole."""
        whole = WHOLE[func]
        given = arguments_of(whole, args, kwargs)
        if whole.name == "attention":
            return fused_attention(**given, written_out=self.written_out)
        if whole.name == "dropout" and draws(**given):
            return torch.native_dropout(given["input"], given["p"], True)[0]
        return func(*args, **kwargs)

    def passed(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run a function that is not kept whole."""
        return func(*args, **kwargs)

    def operated(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run an operator."""
        return func(*args, **kwargs)


def draws(input: torch.Tensor, p: float, training: bool, inplace: bool) -> bool:  # noqa: A002
    """Whether a dropout draws a mask of bytes, as it does on every GPU."""
    return training and not inplace and 0 < p < 1


def user_line() -> str:
    """Say where the user's own file is now: the innermost frame that is neither torch nor ours."""
    frame: Any = sys._getframe(1)  # the public inspect.stack reads every source
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("torch.", "torch", "symledger.")):
            return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


class Functions(TorchFunctionMode):  # type: ignore[misc]  # PyTorch does not type it
    """Keeps whole what is understood whole."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder
        self.originals: dict[Callable[..., Any], Callable[..., Any]] = {}

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run a function; write it down here if it is kept whole."""
        kwargs = kwargs or {}
        func = self.originals.get(func, func)
        whole = WHOLE.get(func)
        if whole is None or self.recorder.whole:
            return self.recorder.passed(func, args, kwargs)
        self.recorder.whole += 1
        try:
            result = self.recorder.called(func, args, kwargs)
        finally:
            self.recorder.whole -= 1
        given = arguments_of(whole, args, kwargs)
        self.recorder.step(whole.name, given, result)
        if given.get("inplace") and result is given["input"]:
            self.recorder.inplace.written(result)
        self.recorder.cut(result)
        return result


class Operators(TorchDispatchMode):  # type: ignore[misc]  # PyTorch does not type it
    """Writes down the operators of ATen, unless they are the inside of something whole."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run an operator and write it down."""
        kwargs = kwargs or {}
        name = name_of(func)
        if name == "aten._local_scalar_dense" and not self.recorder.whole:
            return self._read(args[0])
        if self.recorder.loops and not self.recorder.whole and is_single(func, args, kwargs):
            return singled(func, args, kwargs)
        if not self.recorder.whole:
            args = with_places(name, args, self.recorder.known.value, self.recorder.where)
        result = self.recorder.operated(func, args, kwargs)
        if not self.recorder.whole:
            self._note(func, name, args, kwargs, result)
        return result

    def _note(
        self, func: Any, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any
    ) -> None:  # fmt: skip
        """Write an operator down; one that works in place, as that which makes a new tensor."""
        recorder, given = self.recorder, named(func, args, kwargs)
        into = targets(func, given)
        recorder.known.note(func, args, kwargs, result, into)
        if into:
            given = {n: x for n, x in given.items() if n != "out"}
            name = name.removesuffix("_")
        if name in OVERWRITING and recorder.loops:
            given = {n: x for n, x in given.items() if n != "self"}
        recorder.step(name, given, result)
        recorder.inplace.note(func, name, given, result)
        for x in into:
            recorder.inplace.written(x)
        recorder.cut([x for x in into if not x.requires_grad] if into else result)
        if name == "aten.native_batch_norm" and given["training"]:
            for x in (given["running_mean"], given["running_var"]):
                if x is not None:
                    recorder.changed(x)

    def _read(self, x: torch.Tensor) -> Any:
        """Return the one element of a tensor, where it depends on no data."""
        with torch.utils._python_dispatch._disable_current_modes():  # no public spelling
            value = self.recorder.known.value(x)
        if value is None:
            raise BadInput(
                f"{self.recorder.where()} reads a number out of a tensor, as .item() and if do: "
                "what runs would depend on the data. Compute it from sizes, or leave it out."
            )
        return value.item()


OVERWRITING = ("aten.copy", "aten.fill", "aten.zero")
"""Operators that do not look at what they write over: in a loop nothing is carried for them."""


def is_single(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether an operator cuts an axis into its positions."""
    name = name_of(func)
    return name == "aten.unbind" or (
        name == "aten.split" and named(func, args, kwargs)["split_size"] == 1
    )


def singled(
    func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[torch.Tensor, ...]:
    """Cut an axis into positions one by one: how many there are is no matter of the operation."""
    given = named(func, args, kwargs)
    x, dim = given["self"], given["dim"]
    if name_of(func) == "aten.unbind":
        return tuple(torch.select(x, dim, i) for i in range(x.shape[dim]))
    return tuple(torch.narrow(x, dim, i, 1) for i in range(x.shape[dim]))


def name_of(func: Any) -> str:
    """The name of an operator without its overload: ``aten.add``."""
    namespace, _, name = func._schema.name.partition("::")  # no public spelling
    return f"{namespace}.{name}"


DROPPED = ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking", "generator",
           "N", "C", "HxW")  # fmt: skip
"""Arguments that change no count, or say again what the shapes say."""


def named(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operator by name, with what it has by default."""
    found = {}
    for i, a in enumerate(func._schema.arguments):
        if a.name in DROPPED:
            continue
        if i < len(args) and not a.kwarg_only:
            found[a.name] = args[i]
        else:
            found[a.name] = kwargs.get(a.name, a.default_value)
    return found


@contextmanager
def own_functions(recorder: Recorder) -> Iterator[None]:
    """Note where functions with a backward of their own run.

    Their forward runs without gradients, which is no wish of the module's to cut them. A user may
    have taken ``apply`` of a class before: what it calls in turn is looked up when it runs.
    """
    kind = torch.autograd.function._SingleLevelFunction  # no public spelling

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


def record(
    module: torch.nn.Module, inputs: Mapping[str, torch.Tensor],
    run: Callable[[torch.nn.Module], Any], recorder: Recorder | None = None, loops: bool = False,
) -> Recording:  # fmt: skip
    """Run a module once and return what it did.

    ``inputs`` are the tensors that enter, by name; ``run`` calls the module with them. With
    ``loops`` what is cut into single positions is written down position by position.
    """
    recorder = recorder or Recorder(module)
    recorder.loops = loops
    for name, x in inputs.items():
        kind = tuple(x.shape), elements(x.dtype)
        recorder.add(Step("input", {"name": name}, (kind,)), (x,))
    functions = Functions(recorder)
    with modules(recorder), Operators(recorder), functions, inner_calls(functions), \
            own_functions(recorder):  # fmt: skip
        result = run(module)
    outputs = tuple(dict.fromkeys(tensors(result)))
    recorder.recording.outputs = tuple(recorder.ref(x) for x in outputs)
    for name, weight in module.named_parameters():  # those that nothing uses
        recorder.stack.append(name.rpartition(".")[0])
        recorder.ref(weight)
        recorder.stack.pop()
    recorder.recording.effects = tuple(recorder.effects)
    recorder.recording.custom = tuple(recorder.custom)
    return collapsed(recorder.recording)


def collapsed(recording: Recording) -> Recording:
    """Leave out how tables are made: of what depends on no data and no weight, only the last stays.

    A table that something else uses, or that comes out, is a leaf.
    """
    fixed = fixed_steps(recording)
    wanted = {r.node for r in recording.outputs}
    for i, step in enumerate(recording.steps):
        if i not in fixed:
            wanted.add(i)
            wanted |= {r.node for r in refs_in(tuple(step.arguments.values()))}
    kept = sorted(wanted)
    place = {old: new for new, old in enumerate(kept)}

    def moved(x: Any) -> Any:
        if isinstance(x, Ref):
            return Ref(place[x.node], x.result)
        return tuple(map(moved, x)) if isinstance(x, tuple) else x

    steps = []
    for i in kept:
        step = recording.steps[i]
        arguments = {n: moved(x) for n, x in step.arguments.items()} if i not in fixed else None
        if step.operation in LEAVES or arguments is not None:
            steps.append(replace(step, arguments=arguments or dict(step.arguments)))
        else:
            steps.append(replace(step, operation=TABLE, arguments={"of": step.operation}))
    outputs = tuple(map(moved, recording.outputs))
    return Recording(steps, outputs, recording.effects, recording.custom, tuple(kept))


def fixed_steps(recording: Recording) -> set[int]:
    """Return the steps that depend on no data and no weight."""
    fixed: set[int] = set()
    for i, step in enumerate(recording.steps):
        refs = list(refs_in(tuple(step.arguments.values())))
        known = all(r.node in fixed for r in refs)
        made = step.operation in LEAVES or makes_table(step.operation, known)
        if made and step.operation not in ("input", "weight"):
            fixed.add(i)
    return fixed


def refs_in(x: Any) -> Iterator[Ref]:
    """Yield the tensors in an argument."""
    if isinstance(x, Ref):
        yield x
    elif isinstance(x, tuple):
        for each in x:
            yield from refs_in(each)


def tensors(result: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in what a module returns: alone, in tuples, dictionaries, data classes."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, Mapping):
        for each in result.values():
            yield from tensors(each)
    elif isinstance(result, list | tuple):
        for each in result:
            yield from tensors(each)
