"""Who writes down what a module does when it runs, and knows each tensor by what made it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

import torch

from symledger.errors import BadInput
from symledger.traces.graph import Block, Ref
from symledger.tracing.runs.devices import together
from symledger.tracing.runs.fused import fused_attention
from symledger.tracing.runs.inplace import InPlace
from symledger.tracing.runs.known import Known
from symledger.tracing.runs.quick import OPERATORS, UNROLLED, is_plain, recurrent
from symledger.tracing.runs.recording import Recording, Step
from symledger.tracing.runs.routes import Routes, place_of
from symledger.tracing.runs.torch_version import without_modes
from symledger.tracing.runs.whole import WHOLE, arguments_of

MOST_NODES = 100_000
OWN = "the module's own forward"


def elements(dtype: torch.dtype) -> str:
    """Say what the elements of a tensor are."""
    if dtype == torch.bool:
        return "bool"
    if dtype.is_complex:
        return "complex"
    return "float" if dtype.is_floating_point else "int"


class Recorder:
    """Writes down what runs, and knows each tensor by the step that made it."""

    counted = False
    """Whether somebody else counts what runs: then all of it has to."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.recording = Recording()
        self.places: dict[int, Ref] = {}
        self.alive: list[torch.Tensor] = []
        self.paths = {id(m): name for name, m in module.named_modules()}
        self.listed = frozenset(
            f"{name}.{n}".lstrip(".") for name, m in module.named_modules()
            if isinstance(m, torch.nn.ParameterList) for n, _ in m.named_parameters(recurse=False)
        )  # fmt: skip
        self.stack: list[str] = [""]
        self.whole = 0
        self.loops = False
        self.routes = Routes({}, {})
        self.real = False
        self.read: list[Any] = []
        self.graded = torch.is_grad_enabled()
        self.known = Known()
        self.inplace = InPlace(self)
        self.effects: dict[str, str] = {}
        self.custom: dict[tuple[str, str], None] = {}
        self.written_out: dict[int, int] = {}
        self.within: tuple[Block, ...] = ()
        self.blocks = 0
        self.held: list[torch.Tensor] = []
        self.again = False
        self.without: dict[int, torch.Tensor] = {}
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
        if isinstance(x, Ref):
            return x
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
        step = Step(operation, taken, kinds, self._path(taken), user_line(), self.within)
        self.add(step, made)

    def _path(self, taken: Mapping[str, Any]) -> str:
        """Return where an operation runs: a weight that stands in a list is a layer by itself."""
        steps = self.recording.steps
        weights = (steps[a.node].arguments for a in taken.values() if isinstance(a, Ref)
                   and steps[a.node].operation == "weight") if self.listed else ()  # fmt: skip
        names = (str(w["name"]) for w in weights)
        return next((n for n in names if n in self.listed), self.stack[-1])

    def cut(self, result: Any) -> None:
        """Note that no gradient goes back from here, where the module says so (``no_grad``)."""
        if self.graded and not torch.is_grad_enabled():
            for x in tensors(result):
                if x.is_floating_point() or x.is_complex():
                    self.step("aten.detach", {"self": x}, x)

    def silent(self, x: torch.Tensor) -> bool:
        """Whether gradients know nothing of what is written into a tensor (``no_grad``)."""
        return self.graded and not torch.is_grad_enabled() and x.requires_grad

    def changed(self, x: torch.Tensor) -> None:
        """Note that a tensor is written into: of the module's own that is an effect."""
        if id(x) in self.leaves:
            name = str(self.leaves[id(x)][1]["name"])
            self.effects.setdefault(name, self.recording.steps[-1].operation)

    @contextmanager
    def block(self, early: bool, held: Iterable[torch.Tensor]) -> Iterator[None]:
        """Note that what runs now is run again going back, from tensors that are held for that."""
        self.blocks += 1
        self.held += held
        before, self.within = self.within, (*self.within, Block(self.blocks, early))
        try:
            yield
        finally:
            self.within = before

    def place(self) -> str:
        """Say in which module of which layer's kind we are, and where in the user's file."""
        return place_of(self.stack[-1], user_line())

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
        if func in UNROLLED and not self.counted and is_plain(given):
            with without_modes():
                return recurrent(func, given)
        return together(func, args, kwargs, self.bare)

    def passed(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run a function that is not kept whole."""
        return together(func, args, kwargs, self.bare)

    def bare(self, x: torch.Tensor) -> torch.Tensor:
        """Return a tensor without elements in place of one that a module kept on the processor."""
        if x.device.type == "meta" or x.requires_grad:
            return x
        if id(x) not in self.without:
            with without_modes():
                made = torch.empty_like(x, device="meta")
            self.without[id(x)] = made
            self.leaves[id(made)] = self.leaves.get(id(x), ("constant", {"name": ""}))
            self.alive.append(x)
        return self.without[id(x)]

    def operated(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run an operator."""
        quick = None if self.counted else OPERATORS.get(func)
        return (quick or func)(*args, **kwargs)


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


def tensors(result: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in what a module returns, however deep: in lists, mappings, any object.

    What an object is not told of, as a distribution or a data class, is what it has attributes of.
    """
    left, seen = [result], {}
    while left:
        each = left.pop()
        if isinstance(each, torch.Tensor):
            yield each
        elif id(each) not in seen:
            seen[id(each)] = each  # so that no other has its number
            left += reversed([*_parts(each)])


def _parts(result: Any) -> Iterable[Any]:
    """Return what an object holds."""
    if isinstance(result, Mapping):
        return result.values()
    if isinstance(result, list | tuple | set | frozenset):
        return result
    if isinstance(result, type | FunctionType | ModuleType | torch.nn.Module):
        return ()
    return vars(result).values() if hasattr(result, "__dict__") else ()
