"""Conventions: the choices that a number depends on, as values that travel with it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from symledger.errors import BadInput, nearest, shown
from symledger.ir.casts import CASTS, HALVES, TILE
from symledger.languages.message import Message, Verbatim, Word, message, word
from symledger.ledger import caches, quantised
from symledger.ledger.optimizers import OPTIMIZERS, Optimizer
from symledger.ledger.updates import WAYS
from symledger.readings.flops import Causal

DTYPES = {"fp64": 8, "fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "int8": 1}
"""Bytes of a value."""
BITS = {"fp8": 8, "e5m6": 12}
"""Bits of an element of what products are of: signs, exponents and mantissas."""
SCALE = Fraction(4, TILE)
"""The bytes of an element's share of a scale, in fp32 (DeepSeek-V3, inference/kernel.py)."""


@dataclass(frozen=True)
class Conventions:
    """How things are counted. Every result carries these.

    ``input_gradient``: whether the backward pass also gives the gradient of (float) inputs.
    ``frozen``: weights that are not trained, by dotted name, ``*`` allowed.
    ``gradients``: the type of gradients, where it is not that of values.
    ``counters``: whether the scalars are counted too that PyTorch keeps for each weight.
    ``weights``: the type of quantised weights, and which: ``nf4:block.*``.
    ``step``: how the optimizer's step is run, where it is not as usual: foreach, single, fused.
    ``first``: whether peaks are those of the first step, which finds no state.
    ``accumulate``: whether peaks are those of a batch behind others of one step, which finds
    gradients.
    ``products``: the type in which what is multiplied by weights is cast, and kept: ``fp8``; with
    ``bf16`` or ``fp16`` everything is of the type that it has under ``torch.autocast``.
    ``cache``: where keys and values lie between decoding steps, and in which type: ``paged,fp8``.
    """

    dtype: str = "fp32"
    optimizer: str = "adam"
    causal: Causal = "full"
    input_gradient: bool = True
    frozen: tuple[str, ...] = ()
    gradients: str = ""
    counters: bool = False
    weights: str = ""
    step: str = ""
    first: bool = False
    accumulate: bool = False
    cache: str = ""
    products: str = ""

    def __post_init__(self) -> None:
        for name, found, known in (
            ("dtype", self.dtype, DTYPES), ("optimizer", self.optimizer, OPTIMIZERS),
            ("causal convention", self.causal, get_args(Causal)),
            ("type of gradients", self.gradients, ("", *DTYPES)),
            ("type of products", self.products, ("", *CASTS, *HALVES)),
            ("way to run a step", self.step, ("", *WAYS)),
        ):  # fmt: skip
            if found not in known:
                named = filter(None, known)
                raise BadInput(f"{shown(found)} is not a known {name}. {nearest(found, named)}")
        if self.cache:
            caches.read(self.cache)
        if self.autocast and (self.dtype not in ("fp32", "tf32") or self.weights):
            raise BadInput(f"products in {self.products} beside other values in fp32 are those of "
                           "torch.autocast, whose weights are in fp32: leave out --dtype and "
                           "--weights.")
        if self.autocast and self.gradients not in ("", self.dtype):
            raise BadInput("under torch.autocast the gradients of weights are of the type of the "
                           "weights, fp32: leave out --gradients.")
        if self.products and (self.value_bytes == 1 or self.weights):
            raise BadInput(f"products in {self.products} are of values and weights that have more "
                           "bits: say a --dtype of 2 bytes or more, and no --weights.")
        if self.weights:
            quantised.read(self.weights)
            if self.value_bytes == 1:
                raise BadInput(f"weights in {self.weights} are made values of {self.dtype} before "
                               "they are multiplied by: say a --dtype of 2 bytes or more.")

    @property
    def value_bytes(self) -> int:
        """Bytes of a value."""
        return DTYPES[self.dtype]

    @property
    def autocast(self) -> bool:
        """Whether values are of the types that they have under ``torch.autocast``."""
        return self.products in HALVES

    @property
    def statistic(self) -> int:
        """Bytes of a norm's mean, say."""
        return max(4, self.value_bytes)

    @property
    def storage_bytes(self) -> dict[str, int | Fraction]:
        """Bytes of an element of each storage class; a statistic is never narrower than fp32.

        What products are of has its share of a scale in fp32.
        """
        plain = {"value": self.value_bytes, "statistic": self.statistic, "mask": 1, "index": 8,
                 "half": 2}
        return {**plain, **{name: Fraction(n, 8) + SCALE for name, n in BITS.items()}}

    @property
    def gradient_bytes(self) -> int:
        """Bytes of a gradient."""
        return DTYPES[self.gradients or self.dtype]

    @property
    def kept(self) -> Optimizer:
        """What the optimizer keeps."""
        return OPTIMIZERS[self.optimizer]

    @property
    def state_bytes(self) -> int:
        """Bytes of optimizer state for one trained parameter, where it is as many for each."""
        assert self.kept.form == "each"
        return self.kept.state_bytes(self.value_bytes)

    def to_dict(self) -> dict[str, str]:
        """Say every convention in words, for people and for JSON."""
        return {
            "flop": message("convention.flop"),
            "flops": message("convention.flops"),
            "causal": CAUSAL[self.causal],
            "dtype": message("convention.dtype", dtype=self.dtype, n=self.value_bytes),
            "saved": message("convention.saved", statistic=self.statistic),
            "optimizer": self._optimizer(),
            **({"gradients": message("convention.gradients", dtype=self.gradients,
                                     n=self.gradient_bytes)} if self.gradients else {}),
            **({"counters": message("convention.counters")} if self.counters else {}),
            **({"weights": self._weights()} if self.weights else {}),
            **({"step": STEPS[self.step]} if self.step else {}),
            **({"first": message("convention.first")} if self.first else {}),
            **({"accumulate": message("convention.accumulate")} if self.accumulate else {}),
            **({"cache": self._cache()} if self.cache else {}),
            **({"products": self._products()} if self.products else {}),
            "input_gradient": message(
                "convention.asked" if self.input_gradient else "convention.not_asked"
            ),
            "frozen": Verbatim(", ".join(self.frozen)) or message("convention.nothing"),
        }  # fmt: skip

    def _weights(self) -> Message:
        _, patterns = quantised.read(self.weights)
        name = self.weights.partition(":")[0]
        return message("convention.weights", weights=name, stored=stored_as(name),
                       names=Verbatim(", ".join(patterns)))  # fmt: skip

    def _products(self) -> Message:
        if self.autocast:
            return message("convention.autocast", products=self.products)
        return message("convention.products", products=self.products, tile=TILE)

    def _cache(self) -> Message:
        asked = caches.read(self.cache)
        layout, kind = asked.layout or "static", asked.type
        said = {"cache": Verbatim(self.cache), "layout": cached_as(layout)}
        if not kind:
            return message("convention.cache", **said)
        return message("convention.cache_in", type=cached_as(kind), **said)

    def _optimizer(self) -> Message:
        said = {"optimizer": self.optimizer, "state": state_of(self.optimizer)}
        if self.kept.form != "each":
            return message("convention.optimizer_by_shape", **said)
        return message("convention.optimizer", bytes=self.state_bytes, **said)


def stored_as(name: str) -> Word:
    """Return what a type of quantised weights is, in words."""
    return word(f"weights.{name}", quantised.TYPES[name].meaning)


def cached_as(name: str) -> Word:
    """Return what a layout or a type of a cache is, in words."""
    known = caches.LAYOUTS if name in caches.LAYOUTS else caches.TYPES
    return word(f"cache.{name}", known[name].meaning)


def state_of(optimizer: str) -> Word:
    """Return what an optimizer keeps, in words."""
    return word(f"optimizer.{optimizer}", OPTIMIZERS[optimizer].meaning)


def named(convention: str) -> Word:
    """Return what a convention is called: ``input gradient``."""
    return word(f"convention.name.{convention}", convention.replace("_", " "))


STEPS = {
    way: word(f"convention.step.{way}", said)
    for way, said in (
        ("foreach", "foreach: values of all weights are made at once"),
        ("single", "single: one weight after the other"),
        ("fused", "fused: in place, no value is made"),
    )
}
CAUSAL = {
    kind: word(f"convention.causal.{kind}", said)
    for kind, said in (
        ("full", "all T·S pairs are charged, whether masked or not"),
        ("half", "half of all T·S pairs are charged where a causal mask applies"),
        ("exact", "exactly the pairs that a causal mask lets through are charged"),
    )
}
