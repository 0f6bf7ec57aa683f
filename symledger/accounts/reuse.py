"""Where a layer is met again: in which models, and which other layers have as many parameters.

Models are searched for a part of the same kind whose weights have the same shapes. A layer of
another kind has as many parameters where an identity of the catalogue holds at these sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from sympy import Symbol

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.algebra.parsing import parse_equation
from symledger.arguments.specs import Settings, SizeOf
from symledger.catalogue.entries import ENTRIES
from symledger.catalogue.identities import Side
from symledger.errors import BadInput
from symledger.languages.message import Word, word
from symledger.languages.words import slug
from symledger.ledger.lines import Line
from symledger.sizes import BY_NAME
from symledger.torch_layers.table import LAYERS, REQUIRED

Weights = frozenset[tuple[tuple[str, ...], tuple[object, ...]]]


@dataclass(frozen=True)
class Occurrence:
    """A part of a model that is this layer: its place, and how often it is there."""

    model: str
    path: tuple[str, ...]
    times: int


@dataclass(frozen=True)
class PublishedPlace:
    """A place that is known from a publication, for a model that is not in the catalogue."""

    owner: str
    sizes: Mapping[str, int]
    place: str
    source: str

    @property
    def words(self) -> Word:
        """The place in words."""
        return word(f"place.{slug(self.place)}", self.place)


RESNET = "He et al., Deep Residual Learning for Image Recognition (2016), table 1"
SQUARE = {"K_h": 3, "K_w": 3}
POINT = {"K_h": 1, "K_w": 1}
PUBLISHED: tuple[PublishedPlace, ...] = (
    PublishedPlace("linear", {"d_in": 2048, "d_out": 1000},
              "ResNet-50, -101 and -152, the map to 1,000 classes", RESNET),
    PublishedPlace("linear", {"d_in": 512, "d_out": 1000},
              "ResNet-18 and -34, the map to 1,000 classes", RESNET),
    PublishedPlace("conv2d", {"C_in": 3, "C_out": 64, "K_h": 7, "K_w": 7, "s_h": 2, "s_w": 2},
              "ResNet, the first convolution (conv1)", RESNET),
    PublishedPlace("conv2d", {"C_in": 64, "C_out": 64, **SQUARE, "s_h": 1, "G": 1},
              "ResNet, the first stage (conv2_x)", RESNET),
    PublishedPlace("conv2d", {"C_in": 512, "C_out": 512, **SQUARE, "s_h": 1, "G": 1},
              "ResNet, the last stage (conv5_x)", RESNET),
    PublishedPlace("conv2d", {"C_in": 64, "C_out": 256, **POINT, "s_h": 1, "G": 1},
              "ResNet-50, -101 and -152, the end of a bottleneck of the first stage (conv2_x)",
              RESNET),
    PublishedPlace("conv2d", {"C_in": 1, "C_out": 6, "K_h": 5, "K_w": 5, "s_h": 1},
              "LeNet-5, the first convolution (C1): 156 trainable parameters",
              "LeCun et al., Gradient-Based Learning Applied to Document Recognition (1998), "
              "section II.B"),
    PublishedPlace("conv2d", {"C_in": 3, "C_out": 768, "K_h": 16, "K_w": 16, "s_h": 16, "s_w": 16},
              "ViT-B/16, the embedding of patches of 16 × 16 pixels",
              "Dosovitskiy et al., An Image is Worth 16x16 Words (2021), table 1"),
)  # fmt: skip


SEARCHED = (
    "gpt2-medium", "gpt2-xl", "gpt3-175b", "bert-base", "bert-large", "llama-7b", "llama-3-8b",
    "mixtral-8x7b", "vit-base-patch16-224", "vgg16", "resnet18",
)  # fmt: skip
"""The published configurations that a layer is looked for in, beside those of the catalogue: well
known, and such as are derived in no time or unlike the others, so that an answer stays quick."""

Part = tuple[str, Weights]
"""What tells a part of a model: its kind, and its weights with their lengths."""


def places_in_models(account: Account) -> tuple[Occurrence, ...]:
    """Find a layer in well-known models."""
    whole = account.params.line
    return inventory().get((whole.component, weights(whole, account.assumed)), ())


@cache
def inventory() -> dict[Part, tuple[Occurrence, ...]]:
    """Every part with weights of the models that are searched, looked at once."""
    found: dict[Part, tuple[Occurrence, ...]] = {}
    names = (*(entry.name for entry in ENTRIES if entry.configured), *SEARCHED)
    for model in map(derive, names):
        for line, times in parts(model.params.line, algebra.constant(1)):
            key = line.component, weights(line, model.assumed)
            if key[1]:
                often = algebra.value(times, model.assumed.bindings)
                here = Occurrence(model.target.name, line.path, int(often or 1))
                found[key] = (*found.get(key, ()), here)
    return found


def parts(line: Line, times: Terms) -> Iterator[tuple[Line, Terms]]:
    """Yield a line and all below it, each with how often it is there."""
    often = algebra.multiply(times, algebra.terms(line.times))
    yield line, often
    for part in line.parts:
        yield from parts(part, often)


def weights(line: Line, assumed: Assumed) -> Weights:
    """Return the weights of a part by their place in it, with their lengths as numbers."""

    def length(n: Terms) -> object:
        return algebra.value(substitute(n, assumed.equations), assumed.bindings)

    depth = len(line.path)
    return frozenset(
        (leaf.path[depth:], tuple(length(algebra.terms(n)) for n in leaf.shape))
        for leaf in line.walk() if leaf.is_leaf and leaf.shape and leaf.path[depth:]
    )  # fmt: skip


def published_places(account: Account) -> Iterator[PublishedPlace]:
    """Find a layer among the places that are known from publications."""
    at = {symbol.name: n for symbol, n in account.assumed.bindings.items()}
    for known in PUBLISHED:
        if account.target.owner == known.owner and known.sizes.items() <= at.items():
            yield known


@dataclass(frozen=True)
class Same:
    """Another target with the same polynomial of parameters, and the sizes it is met at."""

    side: Side
    account: Account

    @property
    def sizes(self) -> dict[str, int]:
        """Every size that has a value."""
        return {symbol.name: n for symbol, n in self.account.assumed.bindings.items()}

    @property
    def at(self) -> dict[str, int]:
        """The sizes that stand in the polynomial."""
        stands = {s.name for m in self.account.params.corollary_terms for s, _ in m}
        return {name: n for name, n in self.sizes.items() if name in stands}


def same_parameters(account: Account) -> Iterator[Same]:
    """Find the identities that hold at the sizes of a layer."""
    for identity, here, there in account.identities:
        known = sizes_at(here, account.assumed.bindings)
        if identity.quantity != "params" or known is None:
            continue
        other = derive(there.name, there.options, there.equations)
        sizes = {name: n for name, n in known.items() if name in other.symbols}
        other = other.subs(sizes)
        if other.params.value == account.params.value:
            yield Same(there, other)


def sizes_at(side: Side, bindings: Mapping[Symbol, int]) -> dict[str, int] | None:
    """Return the sizes at which a side's equations hold, or None where they do not.

    A symbol that only the equations have (d in ``d_in = d``) takes its size from them.
    """
    equations = [parse_equation(text, BY_NAME) for text in side.equations]
    known = dict(bindings)
    for symbol, e in equations:
        if isinstance(e, Symbol) and symbol in bindings:
            known.setdefault(e, bindings[symbol])
    for symbol, e in equations:
        if symbol not in known or algebra.value(algebra.terms(e), known) != known[symbol]:
            return None
    return {symbol.name: n for symbol, n in known.items()}


def written_as(entry: str, sizes: Mapping[str, int], options: Mapping[str, object]) -> str:
    """Write an entry with these options as a layer: ``MultiheadAttention(768, h)``.

    Symbols without a value stand as they are; empty where no layer has these options by default.
    """
    for layer in LAYERS:
        if layer.entry != entry:
            continue
        defaults: Settings = {}
        uses = [layer.use(n) for n, default in layer.arguments.items() if default is REQUIRED]
        try:
            for name, default in layer.arguments.items():
                if default is not REQUIRED:
                    defaults |= layer.use(name).settings(name, default)
            for rule in layer.rules if not uses else ():
                rule(layer.arguments)
        except BadInput:  # a default that leaves open what has to be said
            continue
        chosen = {k: str(v).lower() for k, v in options.items() if k in defaults}
        symbols = [use.symbol for use in uses if isinstance(use, SizeOf)]
        if chosen == defaults and len(symbols) == len(uses):
            return f"{layer.name}({', '.join(str(sizes.get(s, s)) for s in symbols)})"
    return ""
