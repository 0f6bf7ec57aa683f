"""What is traced: a class that a user named, what it is built of, and what enters it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch

from symledger.errors import BadInput, shown
from symledger.tracing.runs.devices import (
    ADDRESS,
    UNREADABLE,
    Elsewhere,
    Reading,
    own_defaults,
)
from symledger.user_code import guarded

INPUT = re.compile(r"\s*(\w+)\s*:\s*(\w+)\s*\(([^()]*)\)\s*")
AXIS = re.compile(r"\d+|[^\W\d]\w*(\.\d+)?")
"""A length: a number, a size, or one of a list of sizes, as ``widths.0``."""
DTYPES = {
    "int64": torch.int64, "int32": torch.int32, "long": torch.int64, "bool": torch.bool,
    "float": torch.float32, "float32": torch.float32,
}  # fmt: skip


@dataclass(frozen=True)
class Entering:
    """A tensor that enters: its name, its type, and its lengths: sizes by name, or numbers."""

    name: str
    dtype: str
    axes: tuple[str, ...]

    def made(self, at: Mapping[str, int]) -> torch.Tensor:
        """Make it, without elements; floats ask for a gradient, as if computed before."""
        shape = [int(a) if a.isdecimal() else at[a] for a in self.axes]
        made = torch.zeros(shape, dtype=DTYPES[self.dtype], device="meta")
        return made.requires_grad_().clone() if made.is_floating_point() else made


def parse_input(text: str) -> Entering:
    """Read an input as it is typed: ``ids: int64 (B, T)``.

    Raises:
        BadInput: it is written otherwise.
    """
    found = INPUT.fullmatch(text)
    axes = tuple(a.strip() for a in found[3].split(",") if a.strip()) if found else ()
    named = all(AXIS.fullmatch(a) for a in axes)
    if not found or found[2] not in DTYPES or not named:
        raise BadInput(
            f"--input {shown(text)} is not understood: write a name, a type and the lengths, as in "
            f'--input "ids: int64 (B, T)"; types are {", ".join(DTYPES)}.'
        )
    return Entering(found[1], found[2], axes)


@dataclass
class Subject:
    """A class, the values of its arguments, and what enters.

    ``arguments`` are all values by name; those of a configuration object have its parameter's name
    and a dot before them only where that is needed to tell them apart.
    """

    name: str
    source: str
    kind: type[torch.nn.Module]
    arguments: dict[str, Any]
    make: Callable[[dict[str, Any]], torch.nn.Module]
    inputs: tuple[Entering, ...] = ()
    training: bool = True
    extra: dict[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    """What a configuration says beyond the fields of its class: numbers, truths and words."""
    given: dict[str, int] = field(default_factory=dict)
    """Lengths that were set and are no arguments: of what enters."""
    rows: dict[str, str] = field(default_factory=dict)
    """What the rows are called that are told of each routing, by its place: see ``routes``."""
    loops: bool = False
    """Whether loops in Python are looked at as such: see ``loops``."""
    lists: frozenset[str] = frozenset()
    """Lists of modules that such loops may go along, as patterns: see ``lists``."""
    reads: bool = False
    """Whether the constructor reads tensors that it made."""
    kept: set[str] = field(default_factory=set)
    """Sizes that keep their value, as the module is not understood for others: see ``keeping``."""

    @property
    def modules(self) -> list[ModuleType]:
        """The Python modules that the class and its bases stand in, PyTorch's left out."""
        names = dict.fromkeys(str(c.__module__) for c in self.kind.__mro__)
        own = (n for n in names if n.partition(".")[0] not in ("torch", "builtins", "typing"))
        found = (sys.modules.get(n) for n in own)
        return [m for m in found if isinstance(m, ModuleType)]  # one may put anything in its place

    def build(self, values: Mapping[str, Any], device: str = "meta") -> torch.nn.Module:
        """Build the module with some values in place of its own, on tensors without elements."""
        given = {**self.arguments, **values}
        elsewhere = Elsewhere(device, running=False)
        with own_defaults(), torch.device(device), elsewhere, \
                guarded(self.source, f"{self.name}(…)"):  # fmt: skip
            module = self._made(given)
            settled(module, device)
        return module.train(self.training) if not self.training else module

    def _made(self, given: dict[str, Any]) -> torch.nn.Module:
        """Call the constructor; if it reads tensors, so that it can."""
        if not self.reads:
            try:
                return self.make(given)
            except RuntimeError as error:
                if UNREADABLE not in str(error):
                    raise
        self.reads = True
        with Reading():
            return self.make(given)

    def run(
        self, module: torch.nn.Module, entering: Mapping[str, torch.Tensor], device: str = "meta"
    ) -> Any:
        """Run the module on what enters."""
        elsewhere = Elsewhere(device, running=True)
        forward = f"{self.name}.forward"
        try:
            with own_defaults(), torch.device(device), elsewhere, guarded(self.source, forward):
                return awaited(module(**entering, **self.extra), forward)
        except BadInput as error:
            if any(said in str(error.__cause__) for said in NO_ELEMENTS):
                raise BadInput(
                    f"{error} Nothing has elements here: what reads them, as .tolist() and .numpy()"
                    " do, depends on data. Compute it from sizes, or leave it out."
                ) from error
            raise


def awaited(result: Any, forward: str) -> Any:
    """Return what a module returns.

    Raises:
        BadInput: it is what an ``async def`` returns, which nobody runs.
    """
    if inspect.iscoroutine(result):
        result.close()
        raise BadInput(f"{forward} is written as async def, so that calling it runs nothing: write "
                       "it as def.")  # fmt: skip
    return result


NO_ELEMENTS = ("Cannot copy out of meta tensor", "convert meta device type tensor", ADDRESS)
"""What is said where elements are read of a tensor that has none."""


def settled(module: torch.nn.Module, device: str) -> None:
    """Bring weights to a device that were made on none in particular, as ``torch.Tensor(n, m)``."""
    for x in module.parameters():
        if x.device.type != device:
            made = torch.nn.Parameter(torch.empty_like(x, device=device), x.requires_grad)
            with suppress(RuntimeError):  # who refers to it weakly keeps it as it is
                torch.utils.swap_tensors(x, made)
