"""What a component is: symbols, shapes, the source of its definition, its equations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType

from markupsafe import Markup

from symledger import algebra
from symledger.accounts.account import Account
from symledger.accounts.reuse import written_as
from symledger.catalogue.entry import Entry
from symledger.evidence.claims import worded
from symledger.ir.shapes import Shape as CoreShape
from symledger.languages import words
from symledger.languages.message import Text, joined, message
from symledger.languages.words import choice
from symledger.notation.component import Component
from symledger.printing.rows import show_shape
from symledger.readings.shapes import ShapeRow, shapes
from symledger.report.figures import snippet
from symledger.site import scripts
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.scripts import Script
from symledger.sizes import meaning
from symledger.torch_layers.argument_uses import EntryOf as Choosing
from symledger.torch_layers.table import LAYERS, Layer

MANY = 28
"""Rows of a shape ledger that are shown at once; those of inner parts are folded away. Of more
equations than that shapes are plain."""
MOST = 16
"""Rows that are folded away; a page leaves out the rest."""


@dataclass(frozen=True)
class Symbol:
    """A symbol with its meaning, its equation where it has one, and its size in the example."""

    symbol: Markup
    meaning: str
    equation: Markup
    size: str


def symbols(account: Account) -> tuple[Symbol, ...]:
    """Return the symbols of a component."""
    found = []
    for s in sorted(account.symbols.values(), key=lambda s: s.name):
        equation = account.assumed.equations.get(s)
        n = account.assumed.bindings.get(s)
        found.append(Symbol(
            maths.inline(algebra.variable(s)), meaning(s).meaning,
            Markup() if equation is None else maths.inline(equation),
            "" if n is None else f"{n:,}",
        ))  # fmt: skip
    return tuple(found)


@dataclass(frozen=True)
class Shape:
    """One row of the shape ledger."""

    name: Markup
    kind: Text
    place: Text | str
    shape: Markup
    example: str


def ledger(account: Account) -> tuple[tuple[Shape, ...], tuple[Shape, ...], int]:
    """Return the shape ledger: the rows that are shown, those folded away, and how many more."""
    rows = shapes(account.program, account.readings.back)
    near = [r for r in rows if not r.path or (len(rows) <= MANY and len(r.path) < 2)]
    far = [r for r in rows if r not in near]
    inner = tuple(_plainly(account, r) for r in far[:MOST])
    return tuple(_shape(account, r) for r in near), inner, len(far) - len(inner)


def _plainly(account: Account, row: ShapeRow) -> Shape:
    """One row of many, with a plain shape."""
    return replace(_shape(account, row), shape=_plain(row.shape))


def _plain(shape: CoreShape) -> Markup:
    """Write a shape in plain text, which takes a tenth of the room."""
    return Markup.escape(show_shape(shape, {}))


def _shape(account: Account, row: ShapeRow) -> Shape:
    name = f"∂{row.name}" if row.kind == "gradient" else row.name
    times = algebra.repeated(algebra.terms(row.times))
    return Shape(
        maths.spelled(name), message(f"shape.{row.kind}"),
        words.place(" › ".join(row.path) + times) if row.path else "",
        maths.shape(row.shape), at_sizes(account, row),
    )  # fmt: skip


def at_sizes(account: Account, row: ShapeRow) -> str:
    """Write a shape in the numbers of the example."""
    at, equations = account.assumed.bindings, account.assumed.equations
    lengths = (algebra.substitute(algebra.terms(n), equations) for n in row.shape)
    found = [algebra.value(n, at) for n in lengths]
    return f"({', '.join('?' if n is None else f'{int(n):,}' for n in found)})"


def source(entry: Entry) -> str:
    """Return the source of ``forward``, word for word, and of what belongs to it.

    These are a stated pull-back, and the methods and the module's own functions that are used.
    """
    return "\n\n".join(
        inspect.cleandoc("\n" + inspect.getsource(part)) for part in _parts(entry.load())
    )


def files(entry: Entry) -> list[str]:
    """Return the modules that the source stands in."""
    return [part.__module__ for part in _parts(entry.load())]


def _parts(kind: type) -> Iterator[FunctionType]:
    """Yield forward, a stated pull-back, and the functions that they use, each once."""
    found = [part for name in ("forward", "pullback") for part in _method(kind, name)]
    for part in found:
        yield part
        text = inspect.getsource(part)
        used = [m for name in re.findall(r"self\.(\w+)", text) for m in _method(kind, name)]
        beside = [part.__globals__.get(name) for name in re.findall(r"(?<!\.)\b(\w+)\(", text)]
        used += [f for f in beside
                 if isinstance(f, FunctionType) and f.__module__ == part.__module__]  # fmt: skip
        found += [other for other in dict.fromkeys(used) if other not in found]


def _method(kind: type, name: str) -> Iterator[FunctionType]:
    method = inspect.getattr_static(kind, name, None)
    if isinstance(method, FunctionType) and method.__module__ != Component.__module__:
        yield method


def module(entry: Entry) -> str:
    """Return the file that a definition stands in."""
    return "symledger/" + entry.definition.partition(":")[0].replace(".", "/") + ".py"


@dataclass(frozen=True)
class Line:
    """An equation, its shape, and a line of intuition where somebody wrote one."""

    equation: Markup
    shape: Markup
    intuition: str


def equations(
    account: Account, intuition: Mapping[str, str]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the forward and the backward equations; where they are many, with plain shapes."""
    ways = maths.equations(account)
    shown = _plain if sum(map(len, ways)) > MANY else maths.shape
    forward, backward = (
        tuple(Line(made, shown(e.shape), intuition.get(e.name, "")) for e, made in way)
        for way in ways
    )
    return forward, backward


def entries_of(layer: Layer) -> set[str]:
    """Return the entries of the catalogue that a layer may be."""
    chosen = (use.values for use in layer.uses.values() if isinstance(use, Choosing))
    return {layer.entry, *(name for values in chosen for name in values.values())}


@dataclass(frozen=True)
class Snippet:
    """A layer of PyTorch that this component is, and code that prints its parameters.

    ``choices`` are the options that it has otherwise than the page.
    """

    layer: str
    code: str
    prints: str
    choices: tuple[str, ...]


def numeric(layer: str) -> bool:
    """Whether every size of a written layer is a number."""
    return not any(word.isidentifier() for word in re.split(r"[(), ]+", layer)[1:])


def snippets(atlas: Atlas, entry: Entry, account: Account) -> tuple[Snippet, ...]:
    """Return the layers of torch.nn that this is, at the sizes of the example where that fits."""
    sizes = {s.name: n for s, n in account.assumed.bindings.items()}
    found = []
    same = written_as(entry.name, sizes, account.target.options)
    for layer in LAYERS:
        if entry.name not in entries_of(layer):
            continue
        fits = same.startswith(f"{layer.name}(") and numeric(same)
        text = same if fits else layer.example
        other = atlas.account(text)
        if other.target.entry == entry.name and other.params.general:
            code = "\n".join(snippet(other))
            own = account.target.options.items()
            changed = [(k, other.target.options[k]) for k, v in own if other.target.options[k] != v]
            choices = tuple(choice(k, v) for k, v in changed)
            found.append(Snippet(layer.name, code, str(other.params.value), choices))
    return tuple(found)


@dataclass(frozen=True)
class Witness:
    """An implementation in PyTorch, and the script that prints what this page says.

    ``shown``: what it defines stands on the page, not only in the file.
    """

    said: str
    script: Script
    name: str
    shown: bool = True

    @property
    def file(self) -> str:
        """Where the script lies in the site."""
        return f"components/{self.name}"


def witness(entry: Entry, account: Account) -> Witness | None:
    """Return the witness of a component; None where it has none."""
    call = scripts.calls().get(entry.name)
    if call is None:
        return None
    said = joined(worded(call.said), "; ")
    return Witness(said, scripts.script(call, account), f"{entry.name}_torch.py")
