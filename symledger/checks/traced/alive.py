"""What is in memory when a reference implementation is trained, in the sizes of the definition.

The class that a family's configurations are read for is traced, and what PyTorch has in memory
after every operation of a step written in the symbols of the definition. Sizes of the definition
that follow from others in the class (``h_kv = h``) are equations that it holds under.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from inspect import signature
from itertools import product

import transformers
from sympy import Expr, Integer, Symbol

from symledger.accounts.account import Account, derive
from symledger.algebra import expression
from symledger.checks.traced.reference import subject
from symledger.checks.traced.translation import Translation
from symledger.checks.traced.vectors import Vector, vectors
from symledger.errors import BadInput, SymledgerError
from symledger.sizes import S_max
from symledger.targets.observed import Observed, choices_of
from symledger.traces.alive import DECODE, PREFILL, STATIC, Eager, How
from symledger.traces.checked import ALIVE
from symledger.traces.graph import Traced
from symledger.tracing.eager.serving import PAST
from symledger.tracing.trace import trace

GROUPED = "num_key_value_heads"
ALONE = "B"
"""The number of sequences: what is one long is often not copied where longer ones are."""
SERVED_IN = ("fp32", "bf16")
"""The types in which passes of inference are run."""
WINDOW = (("T", "w_max"),)
"""Where a window sees all tokens, what is kept of these is as without one."""


def observed(owner: str) -> Iterator[Observed]:
    """Yield what is in memory when the class of an owner runs: with several sequences, and one.

    Raises:
        BadInput: it cannot be traced; why.
    """
    first, *_ = vectors(owner)
    for vector in (first, *_grouped(first)):
        for alone in (False, True):
            yield from _observed(vector, alone)


def _grouped(vector: Vector) -> Iterator[Vector]:
    """Yield the class where heads share keys, if that is not so by default."""
    keys = vector.family.facts["keys"]
    if GROUPED in keys and keys[GROUPED] in (None, keys["num_attention_heads"]):
        heads = keys["num_attention_heads"] // 4
        yield Vector(vector.family, {**vector.document, GROUPED: heads}, f"{GROUPED} = {heads}")


def _observed(vector: Vector, alone: bool) -> Iterator[Observed]:
    """Yield it as a step runs; of what numbers enter, without gradients of these as well."""
    asked = subject(vector)
    if alone:
        inputs = (replace(x, axes=tuple("1" if a == ALONE else a for a in x.axes))
                  for x in asked.inputs)  # fmt: skip
        asked = replace(asked, inputs=tuple(inputs))
    logging.getLogger("transformers").setLevel(logging.ERROR)
    made, space = trace(asked, peaks=True)
    failed = next((c for c in made.checks if c.quantity == ALIVE and not c.passed), None)
    if failed:
        raise BadInput(f"{vector.name}: {failed.detail}")
    account = derive(vector.entry, vector.options)
    translation = Translation(vector, account, made, space)
    own, equations = inverse(account, translation)
    if alone:
        equations[ALONE] = Integer(1)
    to = {s: own[key] for s, key in translation.own.items()}
    smallest = {t.name: min(p[s.name] for p in made.points) for s, t in to.items()}
    implementation = f"{vector.configuration.architecture} of {vector.family.implementation}"
    torch = version("torch").partition("+")[0]
    chosen = choices_of(account.target)
    assert made.looking
    asking, without = (made.looking(e.how) if e.shallow else e for e in made.eager)
    differ = asking.moments != without.moments
    trained = (asking, without) if differ else (without,)
    for eager in (*trained, *_served(vector, made)):
        there = {**to, S_max: S_max} if eager.how.cache else to
        seen = in_symbols(eager, there)
        within = WINDOW if eager.how.serving == DECODE and windowed(account) else ()
        least = {**smallest, S_max.name: smallest["T"]} if eager.how.cache else smallest
        yield Observed(implementation, torch, chosen, equations, least, seen, within)


def _served(vector: Vector, made: Traced) -> Iterator[Eager]:
    """Yield passes of inference of a class that remembers, where one can be said."""
    kind = getattr(transformers, vector.configuration.architecture)
    if PAST not in signature(kind.forward).parameters:
        return
    for serving, dtype, cache in product((PREFILL, DECODE), SERVED_IN, ("", STATIC)):
        assert made.looking
        with suppress(BadInput):  # it is refused by name then, as what was not observed
            yield made.looking(How(False, dtype=dtype, serving=serving, cache=cache))


def windowed(account: Account) -> bool:
    """Whether a window decides how many positions are kept, but where it sees all of them."""
    return {b for pair in WINDOW for b in pair} <= {s.name for s in account.program.symbols}


def inverse(
    account: Account, translation: Translation
) -> tuple[dict[Symbol, Symbol], dict[str, Expr]]:
    """Return the symbol of the definition that each key is, and what the other symbols are.

    Raises:
        BadInput: a key is no size of the definition.
    """
    known: dict[Symbol, Expr] = {}
    for symbol in account.program.symbols:
        try:
            known[symbol] = expression(translation.size(symbol))
        except SymledgerError:  # one that no key says
            continue
    own: dict[Symbol, Symbol] = {}
    for symbol, e in known.items():
        if isinstance(e, Symbol):
            own.setdefault(e, symbol)
    for key in translation.own.values():
        if key not in own:
            raise BadInput(f"{key} is no size of the definition.")
    equations = {s.name: e.xreplace(own) for s, e in known.items() if own.get(e) != s}
    return own, equations


def in_symbols(eager: Eager, to: Mapping[Symbol, Symbol]) -> Eager:
    """Return what is in memory when in the symbols of the definition.

    Raises:
        BadInput: it depends on what is no size of the definition.
    """
    for m in eager.moments:
        for foreign in {s for e in m.bytes.values() for s in e.free_symbols} - {*to}:
            raise BadInput(f"what is in memory depends on {foreign}, no size of the definition.")
    names = {s.name: t.name for s, t in to.items()}
    moments = (
        replace(m, bytes={kind: e.xreplace(dict(to)) for kind, e in m.bytes.items()})
        for m in eager.moments
    )
    return Eager(
        eager.how, tuple(moments), {names[s]: n for s, n in eager.least.items()},
        tuple((names[a], names[b]) for a, b in eager.apart), eager.every,
    )  # fmt: skip
