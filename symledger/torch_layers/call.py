"""Constructors as people write them: ``Linear(768, 3072)``, ``nn.LayerNorm(768, bias=False)``.

The text is parsed, never evaluated: one call of a layer of torch.nn whose arguments are literals,
or one layer where PyTorch takes a layer. Its numbers become values of symbols and its flags
choices, as ``--set`` would make them, of the catalogue's entry that the layer is.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf, isfinite
from types import NoneType

from symledger.arguments.specs import Choice, Maybe, Only, Settings, SizeOf, Use, written
from symledger.errors import BadInput, UnknownTarget, nearest, quoted, shown
from symledger.languages.language import ungrouped
from symledger.torch_layers.argument_uses import Acting, EntryOf, Function, Inner
from symledger.torch_layers.elements import ELEMENTS
from symledger.torch_layers.table import (
    BY_NAME,
    REFUSED,
    REQUIRED,
    Layer,
    meant_by,
    said_instead,
)

LONGEST = 500
CALLED = ("causal", "flash", "training")
"""Choices that are made where a layer is called, and not where it is written."""
MODULES = ("", "F.", "functional.", "nn.functional.", "torch.nn.functional.")
IN_TORCH = ("relu", "tanh", "sigmoid", "selu", "celu")
"""Functions of each element that torch has itself, and not in torch.nn.functional alone."""
NAMES = {"LeakyReLU": "leaky_relu"}
"""What functions are called, where that is not their modules' name in small letters."""
DEEPEST = 2
"""A nonlinearity stands in a layer that stands in a stack, and nothing further inside."""
PREFIXES = ("", "nn.", "torch.nn.")


@dataclass(frozen=True)
class Constructor:
    """A layer with a value for each of its arguments, and the text that said so."""

    text: str
    layer: Layer
    values: Mapping[str, object]

    @property
    def entry(self) -> str:
        """The entry of the catalogue that this is."""
        return self.layer.chosen(self.values) or _entry(self.layer.uses, self.values) or (
            self.layer.entry
        )

    @cached_property
    def settings(self) -> Settings:
        """What its arguments set.

        Raises:
            BadInput: a value cannot be used, or two of them contradict each other.
        """
        return _settings(self.layer, self.values, {n: self.layer.use(n) for n in self.values})

    @property
    def arguments_of(self) -> dict[str, str]:
        """PyTorch's name of each symbol that an argument gives."""
        uses = self.layer.uses.items()
        return {use.symbol: name for name, use in uses if isinstance(use, SizeOf | Maybe)}

    @property
    def reads(self) -> str:
        """What symbols mean of what enters, where that cannot be seen: which axis n is."""
        return self.layer.reads(self.values)

    @property
    def entered(self) -> Settings:
        """Sizes of the entry in those of what enters, which alone are set of a layer."""
        return self.layer.entered(self.values)

    def toggled(self) -> Iterator[Constructor]:
        """Yield this constructor with each flag, of a layer inside it too, the other way round."""
        for values in _toggled(self.values, {n: self.layer.use(n) for n in self.values}):
            yield Constructor(_call(self.layer, values), self.layer, values)

    def __str__(self) -> str:
        """Write it in PyTorch's order: what is required, then what is not its default by name."""
        return _call(self.layer, self.values)

    def python(self) -> str:
        """Write it as it stands after ``import torch.nn as nn``."""
        return _call(self.layer, self.values, "nn.")

    def __repr__(self) -> str:
        return str(self)


def _toggled(
    values: Mapping[str, object], uses: Mapping[str, Use]
) -> Iterator[dict[str, object]]:
    for name, value in values.items():
        match uses.get(name), value:
            case (Choice() | EntryOf()), bool():
                yield {**values, name: not value}
            case Inner(uses=inner), Constructor():
                for inside in _toggled(value.values, inner):
                    yield {**values, name: replace(value, values=inside)}


def _entry(uses: Mapping[str, Use], values: Mapping[str, object]) -> str:
    """The entry that an argument chooses, of a layer or of one inside it."""
    for name, use in uses.items():
        value = values[name]
        if isinstance(use, EntryOf):
            return use.values[value]
        if isinstance(use, Inner) and isinstance(value, Constructor):
            return _entry(use.uses, value.values)
    return ""


def _call(layer: Layer, values: Mapping[str, object], prefix: str = "") -> str:
    said = []
    for name, value in values.items():
        default = layer.arguments[name]
        text = _call(value.layer, value.values, prefix) if isinstance(value, Constructor) else (
            repr(value)
        )
        if default is REQUIRED:
            said.append(text)
        elif value != default or type(value) is not type(default):
            said.append(f"{name}={text}")
    return f"{prefix}{layer.name}({', '.join(said)})"


def read(text: str) -> Constructor:
    """Read a constructor.

    Raises:
        UnknownTarget: torch.nn has no such layer.
        BadInput: the layer is not supported yet, or its arguments do not fit.
    """
    if len(text) > LONGEST:
        raise BadInput(f"a constructor of {len(text)} characters is too long; {LONGEST} may be.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about numbers that touch a word, say
            node = ast.parse(ungrouped(text).strip(), mode="eval").body
        if not isinstance(node, ast.Call):
            raise BadInput(f"{quoted(text)} is no call: {_as_in(ast.unparse(node))}")
        printable = "".join(c if c.isprintable() else " " for c in text)
        constructor = _read(node, " ".join(printable.split()))
        _ = constructor.settings
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadInput(
            f"{quoted(text)} cannot be read as a layer; write one as in Linear(768, 3072)."
        ) from error
    except _Misfit as misfit:
        raise BadInput(f"{shown(text)}: {misfit} PyTorch has {misfit.layer}.") from misfit
    return constructor


class _Misfit(Exception):
    """What does not fit, and the layer that it does not fit."""

    def __init__(self, said: str, layer: Layer) -> None:
        super().__init__(said)
        self.layer = layer


def _as_in(name: str) -> str:
    layer = BY_NAME.get(name.rpartition(".")[2])
    return f"write {layer or 'one as in Linear(768, 3072)'}."


def _read(node: ast.Call, text: str, depth: int = 0) -> Constructor:
    layer = find(ast.unparse(node.func))
    try:
        positional = [_literal(argument, depth) for argument in node.args]
        named = [(word.arg, _literal(word.value, depth)) for word in node.keywords]
        values = _bound(layer, positional, named)
    except BadInput as error:
        raise _Misfit(str(error), layer) from error
    return Constructor(text, layer, values)


def find(name: str) -> Layer:
    """Return the layer of a name, which may stand with the module it is in.

    Raises:
        UnknownTarget: torch.nn has no such layer; the message names the nearest.
        BadInput: it has, but there is no component for it.
    """
    plain = next((name.removeprefix(p) for p in reversed(PREFIXES) if name.startswith(p)), name)
    if plain in BY_NAME:
        return BY_NAME[plain]
    if plain in REFUSED:
        raise BadInput(
            f"PyTorch has nn.{plain}, symledger does not derive it yet. {said_instead(plain)}"
        )
    meant = nearest(plain.rpartition(".")[2], BY_NAME, meant_by)
    raise UnknownTarget(
        f"{shown(name)} is not a layer of torch.nn. {meant} "
        "`symledger list` shows those that are known."
    )


def _literal(node: ast.expr, depth: int) -> object:
    match node:
        case ast.Constant(value=bool() | int() | str() | None):
            return node.value
        case ast.Constant(value=float() as number) if isfinite(number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)) if (
            not isinstance(number, bool) and isfinite(number)
        ):
            return -number
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            found = tuple(_literal(part, DEEPEST) for part in parts)
            if all(type(n) in (int, float, NoneType) for n in found):
                return found
        case ast.Attribute() | ast.Name() if (text := ast.unparse(node)) in functions():
            return functions()[text]
        case ast.Call() if depth < DEEPEST:
            return _read(node, ast.unparse(node), depth + 1)
    if any(isinstance(n, ast.Constant) and n.value == inf for n in ast.walk(node)):
        raise BadInput("a number above 1.8e308 is larger than any that PyTorch has.")
    raise BadInput(
        f"{quoted(ast.unparse(node))} is not a number, True, False, None, a text or a tuple of "
        "numbers, and nothing is evaluated."
    )


def _bound(
    layer: Layer, positional: list[object], named: list[tuple[str | None, object]]
) -> dict[str, object]:
    """Give each argument of a layer its value, by place, by name, or by default."""
    known = list(layer.arguments)
    if layer.takes_anything and all(name for name, _ in named):
        return {}
    if len(positional) > layer.places:
        raise BadInput(f"{len(positional)} arguments are given, but it takes {layer.places}.")
    given = dict(zip(known, positional, strict=False))
    for name, value in named:
        if name is None:
            raise BadInput("** is not evaluated: write each argument by its name.")
        if name not in known:
            raise BadInput(f"it has no argument {shown(name)}. {nearest(name, known)}")
        if name in given:
            raise BadInput(f"{name} is given twice.")
        given[name] = value
    missing = [n for n in known if layer.arguments[n] is REQUIRED and n not in given]
    if missing:
        raise BadInput(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing.")
    return {name: given.get(name, default) for name, default in layer.arguments.items()}


def _settings(layer: Layer, values: Mapping[str, object], uses: Mapping[str, Use]) -> Settings:
    """Collect what the arguments of a layer set; two may not set the same to different values."""
    found: Settings = dict(layer.sets)
    try:
        for name, value in values.items():
            use = uses[name]
            new = _set(name, value, use)
            for key, text in new.items():
                if found.setdefault(key, text) != text:
                    raise BadInput(f"{name} makes {key} = {text}, but it is {found[key]} already.")
        for rule in layer.rules:
            found |= rule(values)
    except BadInput as error:
        raise _Misfit(str(error), layer) from error
    return found


def _set(name: str, value: object, use: Use) -> Settings:
    """Collect what an argument sets: a layer, a module that applies a function, or a literal."""
    if isinstance(use, Inner):
        return _inside(name, value, use)
    if isinstance(use, Acting) and isinstance(value, Constructor) and (applied := _applied(value)):
        return use.of_module(name, value, applied)
    return use.settings(name, value)


def _applied(module: Constructor) -> str:
    """The function of each element that a module applies, or nothing where it applies none.

    One that draws its slopes is none of those that have a name.
    """
    if module.entry == "rrelu":
        return "unknown"
    if module.entry == "prelu" and module.settings["by_channel"] == "false":
        return "prelu"
    return module.settings["function"] if module.entry == "activation" else ""


@cache
def functions() -> Mapping[str, Function]:
    """Return the functions that may be handed over, as people write them.

    They go by the names of the modules that apply them, with the same defaults.
    """
    found = {}
    for layer in ELEMENTS:
        if layer.entry == "activation" and REQUIRED not in layer.arguments.values():
            name = NAMES.get(layer.name, layer.name.lower())
            module = Constructor("", layer, layer.arguments)
            here = Function(name, module.settings["function"])
            inside = [f"torch.{name}"] if name in IN_TORCH else []
            found.update(dict.fromkeys([*inside, *(f"{where}{name}" for where in MODULES)], here))
    return found


def _inside(name: str, value: object, use: Inner) -> Settings:
    """Collect what a layer inside a layer sets; an optional one may be left out."""
    if value is None and use.optional:
        return {}
    if not isinstance(value, Constructor) or value.layer.name != use.layer:
        raise BadInput(f"{name} = {written(value)} does not fit: write {BY_NAME[use.layer]}.")
    uses = {n: use.uses.get(n, Only((default,))) for n, default in value.layer.arguments.items()}
    return {**_settings(_plain(value.layer), value.values, uses), **use.sets}


def _plain(layer: Layer) -> Layer:
    """A layer without what it sets as an entry of its own."""
    return replace(layer, sets={})
