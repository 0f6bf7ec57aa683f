"""A module run for real, on the processor in double precision: every operation with its values.

Weights are the module's own, moved a little at random: a bias of zeros would hide that it is added.
What is drawn at random (dropout) is drawn by PyTorch and written down. A cast to a narrower type is
left out, so that both sides compute alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F  # noqa: N812  # as everyone calls it
from torch.overrides import TorchFunctionMode

from symledger.traces.graph import LEAVES, TABLE
from symledger.tracing.runs.quick import UNROLLED, is_plain
from symledger.tracing.runs.record import record, running_again
from symledger.tracing.runs.recorder import Recorder
from symledger.tracing.runs.recording import Recording, Step
from symledger.tracing.runs.torch_version import without_modes
from symledger.tracing.runs.whole import WHOLE, arguments_of

Array = NDArray[Any]
WIDE = {
    torch.float32: torch.float64, torch.float16: torch.float64, torch.bfloat16: torch.float64,
    torch.complex64: torch.complex128,
}  # fmt: skip
"""Types that are computed in double precision."""
MOVED = 0.1
"""How far weights are moved, as a deviation."""
ABSURD = 1e3
"""What no weight is that somebody has set."""
SMALL = torch.finfo(torch.float32).eps
"""What PyTorch adds in a norm that says nothing of it, in single precision, as it was recorded."""
SINGLE = ("aten.hardsigmoid",)
"""Operators whose backward pass has a constant in single precision, whatever they are given."""
RMS_NORMS = (F.rms_norm, torch.rms_norm)
ATTENTION = F.scaled_dot_product_attention
OF_CHANNELS = (F.dropout1d, F.dropout2d, F.dropout3d, F.feature_alpha_dropout)
DRAWING = (F.dropout, F.alpha_dropout, *OF_CHANNELS)
"""Functions that are kept whole and take elements away at random, or whole channels."""


class Elements:
    """Every tensor is known: it has elements."""

    def note(self, *call: Any) -> None:
        """Remember nothing."""

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tensor."""
        return x


class RealRecorder(Recorder):
    """Writes down what runs, with the values of all results and the masks that were drawn."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__(module)
        self.real = True
        self.known = Elements()  # type: ignore[assignment]  # of the same two methods
        self.values: list[tuple[Array, ...]] = []
        self.made: list[tuple[torch.Tensor, ...]] = []
        self.draws: dict[int, Array] = {}
        self.quiet: set[str] = set()
        self._mask: Array | None = None

    def add(self, step: Step, made: tuple[torch.Tensor, ...]) -> None:
        """Write a step down, and what its results are."""
        super().add(step, made)
        with without_modes():
            self.values.append(tuple(array(x) for x in made))
        self.made.append(made)

    def step(self, operation: str, arguments: Mapping[str, Any], result: Any) -> None:
        """Write an operation down, and what it drew."""
        super().step(operation, arguments, result)
        if self._mask is not None:
            self.draws[len(self.recording.steps) - 1] = self._mask
            self._mask = None

    def called(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run a function; what draws at random draws the same again, of ones and of zeros.

        What is the same of both has been taken away.
        """
        if func is ATTENTION:
            return self._attention(args, kwargs)
        if func in UNROLLED:
            return self._recurrent(func, arguments_of(WHOLE[func], args, kwargs))
        if func not in DRAWING:
            return func(*args, **kwargs)
        before = torch.get_rng_state()
        x = args[0] if args else kwargs["input"]
        result = func(*args, **kwargs)
        after = torch.get_rng_state()
        rest = {n: v for n, v in kwargs.items() if n not in ("input", "inplace")}
        drawn = []
        with without_modes(), torch.no_grad():
            for like in (torch.ones_like(x), torch.zeros_like(x)):
                torch.set_rng_state(before)
                drawn.append(array(func(like, *args[1:3], **rest)))
        torch.set_rng_state(after)
        kept = drawn[0] != drawn[1]
        self._mask = first_of_channels(kept) if func in OF_CHANNELS else kept
        return result

    def _attention(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> torch.Tensor:
        """Run attention without dropout: what it would drop is hidden in the kernel.

        Its result is put into the order in memory in which the fused kernel leaves it.
        """
        given = arguments_of(WHOLE[ATTENTION], args, kwargs)
        self._drop_nothing(given["dropout_p"], "inside attention")
        made: torch.Tensor = ATTENTION(**{**given, "dropout_p": 0.0})
        return ordered(made, given["query"], given["attn_mask"]) if made.dim() > 2 else made

    def _recurrent(self, func: Callable[..., Any], given: dict[str, Any]) -> Any:
        """Run a recurrent network without dropout between its layers."""
        if is_plain(given) and given["train"] and given["num_layers"] > 1:
            self._drop_nothing(given["dropout"], "between layers")
            given["dropout"] = 0.0
        return func(*given.values())

    def _drop_nothing(self, p: float, where: str) -> None:
        """Say that a dropout is left out, if there is one: as if each element were kept in part."""
        if p:
            self.quiet.add(f"{self.stack[-1] or 'forward'}: dropout of {p} {where}")
            self._mask = np.array(1.0 - p)

    def passed(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run a function; a cast to single precision of what is as if in it does nothing."""
        if func is torch.Tensor.float and args[0].dtype == torch.float64:
            return args[0]
        args = tuple(map(widened, args))
        kwargs = {n: widened(x) for n, x in kwargs.items()}
        if func in RMS_NORMS and (*args[3:], kwargs.get("eps"))[0] is None:
            args, kwargs = args[:3], {**kwargs, "eps": SMALL}
        return func(*args, **kwargs)

    def operated(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Any:
        """Run an operator in double precision, whatever type it asks for."""
        dtype = kwargs.get("dtype")
        if dtype in WIDE:
            kwargs = {**kwargs, "dtype": WIDE[dtype]}
        return func(*args, **kwargs)


def ordered(
    made: torch.Tensor, query: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    """Put a result of attention into the order in memory that it has from a fused kernel.

    That is the order of the queries; positions before heads where a mask is given, or where values
    are of another length.
    """
    like = query.transpose(-3, -2)
    if query.dim() == 4 and mask is None and query.shape == made.shape:
        like = torch.empty_like(like)
    else:
        like = torch.empty(like.shape)
    order = sorted(range(like.dim()), key=lambda i: (-like.stride(i), i))
    back = [order.index(i) for i in range(like.dim())]
    return made.transpose(-3, -2).permute(order).contiguous().permute(back).transpose(-3, -2)


def widened(argument: Any) -> Any:
    """Return an argument with double precision in place of single precision, if it is a type."""
    single = (torch.float32, torch.complex64)
    return WIDE[argument] if isinstance(argument, torch.dtype) and argument in single else argument


@dataclass
class Ran:
    """One run: all steps with their values, what came out, and the gradients that came back.

    ``seeds`` are the gradients that were sent in at the outputs; ``weights`` and ``entering`` hold
    those that came back, by name, of what asks for one. ``narrow`` says that something was computed
    in less than double precision all the same, ``quiet`` which dropout was left out since a kernel
    hides what it drops.
    """

    recording: Recording
    values: list[tuple[Array, ...]]
    draws: dict[int, Array]
    seeds: list[Array]
    weights: dict[str, Array] = field(default_factory=dict)
    entering: dict[str, Array] = field(default_factory=dict)
    narrow: bool = False
    quiet: tuple[str, ...] = ()


def first_of_channels(mask: Array) -> Array:
    """Return of a mask one element for each channel of each example."""
    found: Array = mask[(slice(None), slice(None), *(slice(0, 1),) * (mask.ndim - 2))]
    return found


def array(x: torch.Tensor) -> Array:
    """Return the elements of a tensor as they are now."""
    found: Array = x.detach().resolve_conj().resolve_neg().cpu().clone().numpy()
    return found


@contextmanager
def double_precision(seed: int) -> Iterator[None]:
    """Build and compute in double precision, in one thread, with one sequence of random numbers."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_num_threads(threads)


class Wide(TorchFunctionMode):  # type: ignore[misc]  # PyTorch does not type it
    """Lets a constructor make in double precision what it says should be of single precision."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run a function with the wide types in place of the narrow ones that it is told."""
        func = torch.Tensor.double if func is torch.Tensor.float else func
        wide = {n: widened(x) for n, x in (kwargs or {}).items()}
        return func(*map(widened, args), **wide)


def moved(module: torch.nn.Module) -> torch.nn.Module:
    """Return a module in double precision, its weights and running statistics moved at random."""
    module = module.double()
    with torch.no_grad():
        for p in module.parameters():
            if p.is_floating_point():
                if not bool((p.abs() < ABSURD).all()):  # torch.empty, which nobody has filled
                    p.normal_()
                p.add_(torch.randn_like(p), alpha=MOVED)
        for part in module.modules():
            mean, var = (getattr(part, n, None) for n in ("running_mean", "running_var"))
            if isinstance(mean, torch.Tensor) and isinstance(var, torch.Tensor):
                mean.normal_()
                var.uniform_(0.5, 1.5)
    return module


def run_for_real(
    module: torch.nn.Module, inputs: Mapping[str, torch.Tensor],
    run: Callable[[torch.nn.Module, Mapping[str, torch.Tensor]], Any], loops: bool = False,
) -> Ran:  # fmt: skip
    """Run a module forward and backward, with random gradients at all outputs that have one."""
    leaves = {n: x.requires_grad_(x.is_floating_point()) for n, x in inputs.items()}
    entering = {n: x.clone() if x.is_floating_point() else x for n, x in leaves.items()}
    recorder = RealRecorder(module)
    recording = record(module, entering, lambda m: run(m, entering), recorder, loops)
    ends = [recorder.made[recording.kept[r.node]][r.result] for r in recording.outputs]
    seeds = [torch.randn_like(y) if y.requires_grad else torch.zeros_like(y) for y in ends]
    pairs = [(y, s) for y, s in zip(ends, seeds, strict=True) if y.requires_grad]
    if pairs:
        with running_again(recorder):
            torch.autograd.backward([y for y, _ in pairs], [s for _, s in pairs])
    return Ran(
        recording, [recorder.values[k] for k in recording.kept],
        {i: recorder.draws[k] for i, k in enumerate(recording.kept) if k in recorder.draws},
        [array(s) for s in seeds],
        {n: gradient(p) for n, p in module.named_parameters() if p.requires_grad},
        {n: gradient(x) for n, x in leaves.items() if x.requires_grad},
        any(x.dtype in WIDE for i, k in enumerate(recording.kept) for x in recorder.made[k]
            if not is_table(recording.steps[i].operation))
        or any(step.operation in SINGLE for step in recording.steps),
        tuple(sorted(recorder.quiet)),
    )  # fmt: skip


def is_table(operation: str) -> bool:
    """Whether an operation of a recording is a fixed tensor: both sides have it as it is."""
    return operation == TABLE or (operation in LEAVES and operation not in ("input", "weight"))


def gradient(x: torch.Tensor) -> Array:
    """Return the gradient that came back to a tensor; zeros where none did."""
    return array(torch.zeros_like(x) if x.grad is None else x.grad)
