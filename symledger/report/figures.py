"""The figures of an answer, as plain data: the page on a terminal and the site show the same ones.

Bytes by type, what training adds, costs at known sizes, flags the other way round, the lines of
PyTorch that print the number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra import Terms
from symledger.languages.message import Text, joined, message
from symledger.ledger.conventions import Conventions
from symledger.ledger.formula import Formula
from symledger.ledger.steps import Shown
from symledger.printing.numbers import number
from symledger.printing.rows import plus, written
from symledger.printing.units import byte_units
from symledger.report.costs import FLOPS, short

EACH = {"B": "figures.a_row", "BT": "figures.a_token"}
"""How an amount for one of something is said."""
POINTWISE = ("flops.forward.pointwise", "flops.backward.pointwise")
DTYPES = ("fp32", "bf16")
TRAINING = (("fp32", "sgd"), ("fp32", "adam"), ("bf16", "adam-mixed"))
"""What an answer shows beside what was asked for."""


@dataclass(frozen=True)
class Held:
    """Bytes kept between steps: the weights, and where an optimizer is named what it needs too."""

    dtype: str
    optimizer: str
    bytes: int
    weights: int

    @property
    def units(self) -> str:
        """The bytes in binary and decimal units; empty where they are too few for any."""
        return byte_units(self.bytes)

    @property
    def times(self) -> Fraction:
        """How many times the bytes of the weights."""
        return Fraction(self.bytes, self.weights)


def held(
    count: int, trained: int, dtype: str, optimizer: str = "", gradients: str = ""
) -> Held:
    """Count the bytes of weights; with an optimizer also of gradients and of its state."""
    c = Conventions(dtype, optimizer or "sgd", gradients=gradients)
    weights = count * c.value_bytes
    more = trained * (c.gradient_bytes + c.state_bytes) if optimizer else 0
    return Held(dtype, optimizer, weights + more, weights)


def by_type(account: Account, count: int | None = None) -> list[Held]:
    """Return the bytes of the weights (or of some) in the usual types; none where none are."""
    n = counted(account)[0] if count is None else count
    dtypes = dict.fromkeys((account.conventions.dtype, *DTYPES))
    return [held(n, n, dtype) for dtype in dtypes] if n else []


def in_training(account: Account) -> list[Held]:
    """Return the bytes of weights, gradients and state with the usual optimizers."""
    c, (count, trained) = account.conventions, counted(account)
    plain = c.kept.form == "each" and not c.counters
    own = [(c.dtype, c.optimizer, c.gradients)] if plain else []
    pairs = dict.fromkeys((*own, *((*pair, "") for pair in TRAINING)))
    return [held(count, trained, *pair) for pair in pairs] if count else []


def counted(account: Account) -> tuple[int, int]:
    """Return how many parameters there are, and how many of them are trained."""
    trained = int(account["memory.gradients"].value or 0) // account.conventions.gradient_bytes
    return int(account.params.value or 0), trained


@dataclass(frozen=True)
class Cost:
    """A FLOP count: the name of its pass, its formula, and that at the known sizes."""

    name: Text
    formula: Formula
    known: Text


def costs(account: Account) -> Iterator[Cost]:
    """Yield the FLOP counts: contractions, then everything else."""
    for name in (*FLOPS, *POINTWISE):
        if name in account.quantities:
            yield Cost(short(name), account[name], at_sizes(account, account[name], "FLOP"))


def at_sizes(account: Account, formula: Formula, unit: str) -> Text:
    """Write a formula with the known sizes put in; where it allows, for one row or one token.

    Linear(768, 3072): 2·B·d_in·d_out → ``4,718,592 FLOP a row``.
    """
    known = {s: algebra.constant(n) for s, n in account.assumed.bindings.items()}
    found = algebra.substitute(formula.corollary_terms, known)
    said = [(algebra.text({monomial: 1}), c) for monomial, c in algebra.ordered(found)]
    if len(said) == 1 and said[0][0] in EACH:
        return message(EACH[said[0][0]], amount=joined((number(said[0][1]), unit), " "))
    each = [number(c) + ("" if symbols == "1" else f" {symbols}") for symbols, c in said]
    return joined((plus(each) or "0", unit), " ")


@dataclass(frozen=True)
class Variant:
    """A layer as it is written, its parameters, and how many more than those of the layer asked."""

    text: str
    count: int
    more: int | None
    held: Held


def variants(account: Account) -> list[Variant]:
    """Return the layer, then it with each flag the other way round where that changes the count."""
    constructor = account.target.constructor
    assert constructor is not None
    here, c = int(account.params.value or 0), account.conventions
    others = []
    for toggled in map(str, constructor.toggled()):
        other = derive(toggled, dtype=c.dtype, optimizer=c.optimizer, causal=c.causal)
        count = int(other.params.value or 0)
        if count != here:
            others.append(Variant(toggled, count, count - here, held(count, count, c.dtype)))
    mine = Variant(constructor.text, here, None, held(here, here, c.dtype))
    return [mine, *others] if others else []


def snippet(account: Account) -> Iterator[str]:
    """Write the lines of PyTorch that print the number."""
    constructor = account.target.constructor
    assert constructor is not None
    yield "import torch.nn as nn"
    yield f"layer = {constructor.python()}"
    yield f"print(sum(p.numel() for p in layer.parameters()))  # {account.params.value}"


def factored(polynomial: Terms) -> str:
    """Write a polynomial with the divisor of its coefficients in front: ``4(d² + d)``."""
    return written(divided(polynomial))


def divided(polynomial: Terms) -> Shown:
    """Return a polynomial with the divisor of its coefficients in front, where there is one."""
    common = gcd(*(c.numerator if c.denominator == 1 else 1 for c in polynomial.values()))
    if common <= 1 or len(polynomial) == 1:
        return Shown(polynomial)
    inner: Terms = {monomial: int(c) // common for monomial, c in polynomial.items()}
    return Shown(polynomial, algebra.constant(common), (Shown(inner),))
