"""The two hooks that see what runs: functions as they are called, and operators of ATen.

The outer one keeps functions of ``WHOLE`` whole (``linear``, attention, dropout …); the inner one
sees what everything else comes down to, with all arguments by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from symledger.errors import BadInput
from symledger.traces.graph import ASSIGNED
from symledger.tracing.runs.contracting import with_operands
from symledger.tracing.runs.fused import is_fused
from symledger.tracing.runs.inplace import targets
from symledger.tracing.runs.picking import is_mask, with_places
from symledger.tracing.runs.recorder import Recorder
from symledger.tracing.runs.rows import with_rows
from symledger.tracing.runs.torch_version import READS, DispatchMode, schema_of, without_modes
from symledger.tracing.runs.whole import WHOLE, Whole, arguments_of


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
        if func is PUTTING and not self.recorder.whole and is_filling(*args[1:]):
            torch.Tensor.__getitem__(*args[:2]).fill_(args[2])  # a processor and others do alike
            return None
        whole = WHOLE.get(func)
        if whole is None or self.recorder.whole or self._by_products(whole, args, kwargs):
            return self.recorder.passed(func, self._placed(func, args), kwargs)
        args, kwargs = with_rows(func, with_operands(func, args), kwargs)
        self.recorder.whole += 1
        try:
            result = self.recorder.called(func, args, kwargs)
        finally:
            self.recorder.whole -= 1
        if self.recorder.again:
            return result
        given = arguments_of(whole, args, kwargs)
        self.recorder.step(whole.name, given, result)
        self.recorder.routes.note(whole.name, given, result, self.recorder.known.value)
        if given.get("inplace") and result is given["input"]:
            self.recorder.inplace.written(result)
        self.recorder.cut(result)
        return result

    def _by_products(self, whole: Whole, args: Any, kwargs: Mapping[str, Any]) -> bool:
        """Whether attention runs product by product."""
        attends = whole.name == "attention"
        return attends and not is_fused(arguments_of(whole, args, kwargs), self.recorder.where())

    def _placed(self, func: Callable[..., Any], args: Any) -> Any:
        """Return the arguments of an indexing, the places of what is true in place of masks."""
        if func not in INDEXING or self.recorder.whole:
            return args
        picks = args[1] if isinstance(args[1], tuple) else (args[1],)
        found: list[Any] = []
        for m in picks:
            routed = is_mask(m) and id(m) in self.recorder.routes.shares
            found += torch.nonzero(m, as_tuple=True) if routed else [m]
        return (args[0], tuple(found), *args[2:]) if len(found) > 1 else (
            args[0], found[0], *args[2:]
        )


PUTTING = torch.Tensor.__setitem__
INDEXING = (torch.Tensor.__getitem__, PUTTING)
PLAIN = (int, slice, type(None), type(...))


def is_filling(places: Any, value: Any) -> bool:
    """Whether a number is put at places that a view shows."""
    several = places if isinstance(places, tuple) else (places,)
    view = all(isinstance(p, PLAIN) and not isinstance(p, bool) for p in several)
    return view and isinstance(value, int | float | bool)


class Operators(DispatchMode):  # type: ignore[misc]  # PyTorch does not type it
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
        if name == READS and not self.recorder.whole:
            return self._read(args[0])
        if self.recorder.loops and not self.recorder.whole and is_single(func, args, kwargs):
            with self:
                return singled(func, args, kwargs)
        result = self._told(name, args) if not self.recorder.whole else None
        if not self.recorder.whole and result is None:
            args = with_places(name, args, self.recorder.known.value, self.recorder.where,
                               self.recorder.real)  # fmt: skip
        if result is None:
            result = self.recorder.operated(func, args, kwargs)
        if not self.recorder.whole:
            self._note(func, name, args, kwargs, result)
        return result

    def _told(self, name: str, args: tuple[Any, ...]) -> torch.Tensor | None:
        """Answer where a mask is true that sends tokens to experts: so many rows are told."""
        if name != "aten.nonzero" or self.recorder.real:
            return None
        n = self.recorder.routes.rows(args[0], self.recorder.place())
        if n is None:
            return None
        return torch.empty((n, args[0].dim()), dtype=torch.int64, device=args[0].device)

    def _note(
        self, func: Any, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any
    ) -> None:  # fmt: skip
        """Write an operator down; one that works in place, as that which makes a new tensor."""
        recorder, given = self.recorder, named(func, args, kwargs)
        into = targets(func, given)
        recorder.known.note(func, args, kwargs, result, into)
        if recorder.again:
            return
        if into:
            given = {n: x for n, x in given.items() if n != "out"}
            name = name.removesuffix("_")
            given |= {"in_place": True} if name in FROM_RESULT else {}
        before = [(x, recorder.ref(x)) for x in into if recorder.silent(x)]
        if name in OVERWRITING and recorder.loops:
            given = {n: x for n, x in given.items() if n != "self"}
        recorder.step(name, given, result)
        for x, was in before:
            recorder.step(ASSIGNED, {"self": was, "value": x}, x)
        recorder.inplace.note(func, name, given, result)
        recorder.routes.note(name, given, result, recorder.known.value)
        for x in into:
            recorder.inplace.written(x)
        recorder.cut([x for x in into if not x.requires_grad] if into else result)
        if name == "aten.native_batch_norm" and given["training"]:
            for x in (given["running_mean"], given["running_var"]):
                if x is not None:
                    recorder.changed(x)

    def _read(self, x: torch.Tensor) -> Any:
        """Return the one element of a tensor, where it depends on no data.

        That some token is sent to each expert is told, as the rows are.
        """
        if id(x) in self.recorder.routes.answers and not self.recorder.real:
            self.recorder.read.append(self.recorder.routes.answers[id(x)])
            return self.recorder.read[-1]
        with without_modes():
            value = self.recorder.known.value(x)
        if value is None:
            raise BadInput(
                f"{self.recorder.where()} reads a number out of a tensor, as .item() and if do: "
                "what runs would depend on the data. Compute it from sizes, or leave it out."
            )
        self.recorder.read.append(value.item())
        return self.recorder.read[-1]


FROM_RESULT = ("aten.leaky_relu",)
"""Operators that keep what comes out in place of what they are given where they work in place."""
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
    namespace, _, name = schema_of(func).name.partition("::")
    return f"{namespace}.{name}"


DROPPED = ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking", "generator",
           "N", "C", "HxW")  # fmt: skip
"""Arguments that change no count, or say again what the shapes say."""


def named(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an operator by name, with what it has by default."""
    found = {}
    for i, a in enumerate(schema_of(func).arguments):
        if a.name in DROPPED:
            continue
        if i < len(args) and not a.kwarg_only:
            found[a.name] = args[i]
        else:
            found[a.name] = kwargs.get(a.name, a.default_value)
    return found
