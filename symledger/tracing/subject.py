"""What is traced: a class that a user named, what it is built of, and what enters it."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import torch

from symledger.errors import BadInput, UnknownTarget, nearest, shown
from symledger.targets.user_file import imported
from symledger.tracing.devices import ADDRESS, UNREADABLE, Elsewhere, Reading
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
        names = dict.fromkeys(c.__module__ for c in self.kind.__mro__)
        own = (n for n in names if n.partition(".")[0] not in ("torch", "builtins", "typing"))
        return [sys.modules[n] for n in own if n in sys.modules]

    def build(self, values: Mapping[str, Any], device: str = "meta") -> torch.nn.Module:
        """Build the module with some values in place of its own, on tensors without elements."""
        given = {**self.arguments, **values}
        elsewhere = Elsewhere(device, running=False)
        with torch.device(device), elsewhere, guarded(self.source, f"{self.name}(…)"):
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
            with torch.device(device), elsewhere, guarded(self.source, forward):
                return module(**entering, **self.extra)
        except BadInput as error:
            if any(said in str(error.__cause__) for said in NO_ELEMENTS):
                raise BadInput(
                    f"{error} Nothing has elements here: what reads them, as .tolist() and .numpy()"
                    " do, depends on data. Compute it from sizes, or leave it out."
                ) from error
            raise


NO_ELEMENTS = ("Cannot copy out of meta tensor", "convert meta device type tensor", ADDRESS)
"""What is said where elements are read of a tensor that has none."""


def settled(module: torch.nn.Module, device: str) -> None:
    """Bring weights to a device that were made on none in particular, as ``torch.Tensor(n, m)``."""
    for x in module.parameters():
        if x.device.type != device:
            made = torch.nn.Parameter(torch.empty_like(x, device=device), x.requires_grad)
            with suppress(RuntimeError):  # who refers to it weakly keeps it as it is
                torch.utils.swap_tensors(x, made)


def found(
    text: str, settings: Mapping[str, str], inputs: tuple[str, ...] = (), training: bool = True,
    config: Mapping[str, Any] | None = None,
) -> Subject:  # fmt: skip
    """Find the class that a text names and say how it is built.

    Raises:
        UnknownTarget: there is no such class.
        BadInput: the file cannot be read, the class is no module, or needs arguments that were not
            given.
    """
    entering = tuple(map(parse_input, inputs))
    return subject_of(*located(text), settings, entering, training, config)


def located(text: str) -> tuple[type[torch.nn.Module], str]:
    """Return the class that a text names, and the file or the module that it is in.

    Raises:
        UnknownTarget: there is no such module or class.
        BadInput: the file cannot be read, or the class is no module of PyTorch.
    """
    where, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise BadInput(f"{shown(text)} does not say which class: write path/to/model.py:ClassName, "
                       "package.module:ClassName or transformers:ClassName.")  # fmt: skip
    module = _module(where)
    kind = getattr(module, name, None)
    known = [n for n, c in vars(module).items()
             if isinstance(c, type) and issubclass(c, torch.nn.Module)]  # fmt: skip
    if kind is None:
        raise UnknownTarget(f"{shown(where)} has no class {shown(name)}. {nearest(name, known)}")
    if not (isinstance(kind, type) and issubclass(kind, torch.nn.Module)):
        raise BadInput(f"{shown(name)} in {shown(where)} is not a torch.nn.Module. "
                       f"{nearest(name, known)}")  # fmt: skip
    return kind, where


FREE = {"B", "T", "S", "H", "W", "D"}
"""Lengths that what enters has where that was guessed."""


def _module(where: str) -> ModuleType:
    if where.endswith(".py") or "/" in where:
        return imported(where)
    if not is_there(where):
        raise UnknownTarget(
            f"there is no module {shown(where)} here; a file is named by its path, as in "
            "path/to/model.py:ClassName."
        )
    with guarded(where, "the module"):
        return import_module(where)


def is_there(module: str) -> bool:
    """Whether there is a Python module of a name."""
    try:
        return bool(module) and find_spec(module) is not None
    except (ImportError, ValueError):  # what stands around it is not there, or is no package
        return False


def subject_of(
    kind: type[torch.nn.Module], where: str, settings: Mapping[str, str],
    inputs: tuple[Entering, ...], training: bool, config: Mapping[str, Any] | None,
) -> Subject:  # fmt: skip
    """Say how a class is built.

    Raises:
        BadInput: it needs arguments that were not given.
    """
    name = kind.__name__
    configured = getattr(kind, "config_class", None)
    if configured is not None and hasattr(configured, "from_dict"):
        return configured_subject(kind, where, settings, inputs, training, config)
    signature = inspect.signature(kind)
    arguments: dict[str, Any] = {}
    objects: dict[str, Any] = {}
    missing: list[str] = []
    for p in signature.parameters.values():
        holder = _holder(p, kind)
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.name in settings and holder is None:
            arguments[p.name] = valued(settings[p.name], p.default)
        elif holder is not None:
            objects[p.name] = holder
            arguments |= _fields(holder, settings, missing)
        elif p.default is p.empty:
            missing.append(p.name)
        else:
            arguments[p.name] = p.default
    if missing:
        line = " ".join(f"--set {n}=…" for n in missing)
        raise BadInput(f"{shown(name)} needs {', '.join(missing)}: add {line}")
    own = [p for p in arguments if p in signature.parameters]

    def make(values: dict[str, Any]) -> torch.nn.Module:
        given = {p: values[p] for p in own}
        for p, holder in objects.items():
            names = [f.name for f in dataclasses.fields(holder) if f.init]
            given[p] = holder(**{n: values[n] for n in names})
        return kind(**given)

    return Subject(name, where, kind, arguments, make, inputs, training)


def _holder(p: inspect.Parameter, kind: type) -> type | None:
    """Return the data class whose object a parameter takes, if it takes one."""
    stated: Any = p.annotation
    if isinstance(stated, str):
        stated = vars(import_module(kind.__module__)).get(stated)
    if isinstance(stated, type) and dataclasses.is_dataclass(stated):
        return stated
    if dataclasses.is_dataclass(p.default) and not isinstance(p.default, type):
        return type(p.default)
    if p.default is p.empty and stated in (None, p.empty) and p.name in ("config", "cfg", "args"):
        module = vars(import_module(kind.__module__))
        of = [c for c in module.values() if isinstance(c, type) and dataclasses.is_dataclass(c)
              and c.__module__ == kind.__module__]  # fmt: skip
        return of[0] if len(of) == 1 else None
    return None


def _fields(holder: type, settings: Mapping[str, str], missing: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for f in dataclasses.fields(holder):
        if not f.init:
            continue
        default = _default(f)
        if f.name in settings:
            found[f.name] = valued(settings[f.name], default)
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            missing.append(f.name)
        else:
            found[f.name] = default
    return found


def configured_subject(
    kind: type[torch.nn.Module], where: str, settings: Mapping[str, str],
    inputs: tuple[Entering, ...], training: bool, config: Mapping[str, Any] | None,
    fused: bool = True,
) -> Subject:  # fmt: skip
    """A class that is built of a configuration, as the classes of transformers are.

    What the configuration works out where nothing is said (as many key/value heads as heads) stays
    for it to work out. Attention is ``fused`` where the class knows how, or operation by operation.
    """
    configured: Any = kind.config_class
    own = [f for f in dataclasses.fields(configured) if f.name not in COMMON]
    arguments: dict[str, Any] = {f.name: _default(f) for f in own}
    config = {n: decoded(v) for n, v in by_own_names(kind, config or {}).items()}
    given = {n: v for n, v in config.items() if n in arguments}
    arguments |= given
    for name, text in settings.items():
        if name in arguments:
            arguments[name] = valued(text, arguments[name])
    rest = {n: v for n, v in config.items() if n not in arguments and n not in COMMON - SAID}

    def make(values: dict[str, Any]) -> torch.nn.Module:
        made = configured.from_dict({**rest, **{n: copied(v) for n, v in values.items()}})
        whole = fused and getattr(kind, "_supports_sdpa", True)
        made._attn_implementation = "sdpa" if whole else "eager"  # how it is set
        for part in (made, *vars(made).values()):
            if hasattr(part, "use_cache"):
                part.use_cache = False
        made._experts_implementation = "batched_mm"  # the one that runs without elements
        return without_warning(kind(made))

    more = {n: v for n, v in rest.items()
            if isinstance(v, int | float | str) and n not in COMMON and not n.startswith("_")}
    return Subject(kind.__name__, where, kind, arguments, make, inputs, training, quiet(kind), more)


def by_own_names(kind: type[torch.nn.Module], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration in which keys that mean the same are called as its class does."""
    configured: Any = getattr(kind, "config_class", None)
    own = {f.name for f in dataclasses.fields(configured)} if configured else set()
    pairs = getattr(configured, "attribute_map", {}).items()
    called = {b: a for a, b in (*pairs, *((b, a) for a, b in pairs)) if a in own and b not in own}
    return {called.get(n, n): v for n, v in config.items()}


def without_warning(module: torch.nn.Module) -> torch.nn.Module:
    """Let a model not look into its input for padding, of which it would only warn."""
    for part in module.modules():
        if hasattr(part, WARNING):
            setattr(part, WARNING, lambda *args, **kwargs: None)
    return module


WARNING = "warn_if_padding_and_no_attention_mask"
COMMON = {
    "transformers_version", "architectures", "output_hidden_states", "return_dict", "dtype",
    "chunk_size_feed_forward", "id2label", "label2id", "problem_type", "torch_dtype",
    "use_cache", "model_type",
}  # fmt: skip
"""What every configuration has, and no size is."""
SAID = {"id2label", "label2id", "problem_type", "chunk_size_feed_forward"}
"""Of these, what decides what is built: as many classes as there are names of them."""


def quiet(kind: type[torch.nn.Module]) -> dict[str, Any]:
    """Return the arguments with which a model keeps no cache."""
    return {"use_cache": False} if "use_cache" in inspect.signature(kind.forward).parameters else {}


def decoded(value: Any) -> Any:
    """Return a value of a ``config.json``, with the floats for which JSON has no word."""
    if isinstance(value, dict):
        if value.keys() == {"__float__"}:
            return float(value["__float__"])
        return {n: decoded(v) for n, v in value.items()}
    return [decoded(v) for v in value] if isinstance(value, list) else value


def copied(value: Any) -> Any:
    """Return a list or a mapping of its own, so that a configuration may change it."""
    return copy.deepcopy(value) if isinstance(value, list | dict) else value


def _default(f: Any) -> Any:
    if f.default_factory is not dataclasses.MISSING:
        return f.default_factory()
    return None if f.default is dataclasses.MISSING else f.default


def valued(text: str, default: Any) -> Any:
    """Return what a setting means: a number, a truth, a list of numbers, else the text itself."""
    text = text.strip()
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    if lowered == "none":
        return None
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        return literal(text)
    try:
        return int(text.replace(",", "").replace("_", ""))
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def literal(text: str) -> Any:
    """Return a list or a mapping as it is written in Python, words without quotes too."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        parts = [valued(part, None) for part in text[1:-1].split(",") if part.strip()]
        return tuple(parts) if text.startswith("(") else parts
