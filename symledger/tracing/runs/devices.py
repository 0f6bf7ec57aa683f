"""Devices that a module asks for: wherever it puts tensors, they are where the trace has them.

Files say ``device="cuda"``, or move what they made to where it will be trained. Nothing of that
changes what is computed. What a constructor keeps on the processor on purpose, to read it, stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from symledger.tracing.runs.known import Known
from symledger.tracing.runs.torch_version import READS, DispatchMode, schema_of

MOVING = (torch.Tensor.cuda, torch.Tensor.cpu)
ASKING = torch.Tensor.requires_grad.__set__
"""``x.requires_grad = …``, which PyTorch refuses of what was computed, whatever is said."""
UNREADABLE = "on meta tensors"
"""What PyTorch says where a tensor without elements is read."""
ADDRESS = "an address was asked for of a tensor without elements"
"""What is said here: PyTorch answers 0, and what writes there ends the process."""
APART = ("same device", "expected device")
"""What it says where tensors of several devices meet."""


class Elsewhere(TorchFunctionMode):  # type: ignore[misc]  # PyTorch does not type it
    """Answers every question for a device with one; ``running``, the processor is another, too."""

    def __init__(self, device: str, running: bool) -> None:
        super().__init__()
        self.device, self.running = torch.device(device), running

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run a function; one that moves a tensor leaves it where it is.

        Raises:
            RuntimeError: it asks where elements are, and there are none.
        """
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.data_ptr and args[0].is_meta:
            raise RuntimeError(ADDRESS)
        if func in MOVING:
            return args[0]
        if func == ASKING and args[1] is True and args[0].requires_grad:
            return None  # what enters asks for a gradient as if computed before
        if func is torch.Tensor.to:
            return self._moved(*args, **kwargs)
        if kwargs.get("device") is not None and self._other(kwargs["device"]):
            kwargs["device"] = self.device
        return func(*args, **kwargs)

    def _other(self, device: Any) -> bool:
        kind = device if isinstance(device, int) else torch.device(device).type
        return kind != self.device.type and (self.running or kind != "cpu")

    def _moved(self, x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Change the type of a tensor, if it is asked for one, and not its device."""
        if args and isinstance(args[0], torch.Tensor):  # to another one's type and device
            return x.to(args[0].dtype)
        kwargs.pop("device", None)
        rest = [a for a in args if isinstance(a, torch.dtype)]
        return torch.Tensor.to(x, *rest, **kwargs) if rest or "dtype" in kwargs else x


@contextmanager
def own_defaults() -> Iterator[None]:
    """Take back what a file sets for all of PyTorch: type and device of tensors, and no gradients.

    A class is traced as any script may use it, whatever its own file does beside defining it.
    """
    kind, device, graded = torch.get_default_dtype(), default_device(), torch.is_grad_enabled()
    try:
        yield
    finally:
        torch.set_default_dtype(kind)
        torch.set_grad_enabled(graded)
        if default_device() != device:
            torch.set_default_device(None if device == torch.device("cpu") else device)


def default_device() -> torch.device | None:
    """Return where tensors are made; None of what is not there, as an accelerator."""
    try:
        found: torch.device = torch.get_default_device()
    except (AssertionError, RuntimeError):
        return None
    return found


class Reading(DispatchMode):  # type: ignore[misc]  # PyTorch does not type it
    """Lets a constructor read tensors that follow from numbers: they are worked out."""

    def __init__(self) -> None:
        super().__init__()
        self.known = Known()
        self.alive: list[Any] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run an operator, and remember how its result came about."""
        kwargs = kwargs or {}
        schema = schema_of(func)
        if schema.name.replace("::", ".") == READS:
            value = self.known.value(args[0])
            if value is not None:
                return value.item()
        result = func(*args, **kwargs)
        self.alive.append((args, result))
        into = [x for x, a in zip(args, schema.arguments, strict=False)
                if a.alias_info is not None and a.alias_info.is_write]  # fmt: skip
        self.known.note(func, args, kwargs, result, into)
        return result


def together(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
    bare: Callable[[torch.Tensor], torch.Tensor],
) -> Any:  # fmt: skip
    """Run a function where tensors of several devices meet: all of them ``bare``."""
    try:
        return func(*args, **kwargs)
    except RuntimeError as error:
        if not any(said in str(error) for said in APART):
            raise
    return func(*(each(x, bare) for x in args), **{n: each(x, bare) for n, x in kwargs.items()})


def each(x: Any, bare: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Return an argument with its tensors made bare."""
    if isinstance(x, torch.Tensor):
        return bare(x)
    return type(x)(each(y, bare) for y in x) if type(x) in (list, tuple) else x
