"""A definition against its reference implementation, traced: the same polynomials, or which not.

Compared are parameters, tensor by tensor and in all, active ones, and FLOPs of contractions forward
and backward, all in the keys of the configuration. Pointwise work, traffic and what is kept depend
on how an implementation is spelled: their difference is shown, and says nothing of the definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from math import prod
from typing import Any

from sympy import Expr, Integer

from symledger import algebra
from symledger.accounts.account import Account, derive
from symledger.algebra import Terms
from symledger.checks.traced import cache
from symledger.checks.traced.reference import traced
from symledger.checks.traced.sized import sized
from symledger.checks.traced.spelled import Lines, spelled
from symledger.checks.traced.translation import Translation, said
from symledger.checks.traced.vectors import Vector
from symledger.checks.transformers.building import LAYER
from symledger.checks.transformers.weights import Named, compare, counted, stated
from symledger.errors import BadInput
from symledger.evidence import traced as evidence
from symledger.ir.shapes import ONE
from symledger.traces.graph import Graph, Ref, Traced
from symledger.tracing.account import account_of
from symledger.tracing.runs.limit import TooLong, limited_in_all
from symledger.tracing.spaces.space import Space

EXACT = ("params", "params.active", "flops.forward", "flops.backward")
"""Quantities in which a definition and its reference have to be the same polynomials."""
SPELLED = (
    "flops.forward.pointwise", "flops.backward.pointwise", "memory.saved", "traffic.forward",
)  # fmt: skip
"""Quantities that depend on how an implementation is written."""


PICKING = ("aten.index", "aten.index_select")
"""Operations that take some rows of a tensor, which others say."""


@dataclass(frozen=True)
class Compared:
    """What came of a vector: for each quantity where it differs, empty where it does not.

    ``spelled`` are the differences of what depends on how an implementation is written.
    """

    account: Account
    exact: Mapping[str, str]
    spelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the definition and the reference are the same."""
        return not any(self.exact.values())


def compared(vector: Vector) -> Compared:
    """Trace the class of a vector and compare it with the definition.

    Raises:
        BadInput: it cannot be traced; why.
    """
    return against(derive(vector.entry, vector.options), vector, *traced(vector))


def against(account: Account, vector: Vector, made: Traced, space: Space) -> Compared:
    """Compare a trace of a vector's class with a definition.

    Raises:
        BadInput: sizes of the definition are no polynomials in the keys.
    """
    translation = Translation(vector, account, made, space)
    reference = account_of(made, made.name)
    exact = {"params": tensors(translation, made, vector)}
    for name in EXACT:
        if name in account.quantities and not exact.get(name):
            theirs = active(made) if name == "params.active" else reference.readings.total(name)
            exact[name] = difference(translation, account.readings.total(name), theirs)
    if "memory.kv_cache" in account.quantities:
        ours = translation.ours(account.readings.total("memory.kv_cache"))
        kept = cache.difference(ours, vector, translation)
        exact |= {} if kept is None else {"memory.kv_cache": kept}
    if vector.said:  # choices change little of how an implementation is written
        return Compared(account, exact)
    names = [name for name, _, _ in parameters(made.graph)]
    lines = Lines(vector.family, names, made.graph)
    otherwise = {
        name: spelled(translation, lines, account, reference, name)
        for name in SPELLED if name in account.quantities
    }
    return Compared(account, exact, {n: rows for n, rows in otherwise.items() if rows})


def recorded(vector: Vector) -> evidence.Vector:
    """Return what is recorded of a vector: formulas by fingerprint, or why it was not traced.

    What was not traced is compared at three sizes.
    """
    about = vector.name, vector.family.implementation, version("torch").partition("+")[0]
    try:
        with limited_in_all(vector.name):
            found = compared(vector)
    except (BadInput, TooLong) as error:
        return evidence.Vector(*about, refused=str(error), **at_sizes(vector))
    hashes = {q: found.account.fingerprint(q) or "" for q in found.exact}
    differs = {q: said for q, said in found.exact.items() if said}
    return evidence.Vector(*about, hashes, differs, found.spelled)


def at_sizes(vector: Vector) -> dict[str, Any]:
    """Return what is recorded of a comparison at sizes: formulas, points, what differs."""
    found = sized(vector)
    account = derive(vector.entry, vector.options)
    return {
        "built": {e.quantity: account.fingerprint(e.quantity) or "" for e in found},
        "points": found[0].points if found else (),
        "differs": {e.quantity: e.detail for e in found if not e.passed},
    }


def difference(translation: Translation, ours: Terms, theirs: Terms) -> str:
    """Return by how much the reference has more than the definition, empty if by nothing."""
    more = algebra.subtract(translation.theirs(theirs), translation.ours(ours))
    return said(more) if more else ""


def tensors(translation: Translation, made: Traced, vector: Vector) -> str:
    """Say which tensors of parameters differ, empty if none does."""

    def ours(e: Expr) -> Expr:
        return algebra.expression(translation.ours(algebra.terms(e)))

    def theirs(e: Expr) -> Expr:
        return algebra.expression(translation.theirs(algebra.terms(e)))

    known = counted(stated(translation.account.program), ours)
    found = counted(parameters(made.graph), theirs)
    return "; ".join(compare(known, found, vector.family.tensors)[:3])


def parameters(graph: Graph, times: Expr = ONE) -> Iterator[Named]:
    """Yield the parameters of a graph, layers written as ``*``, and how many there are of each."""
    for node in graph.nodes:
        if node.operation == "weight":
            yield LAYER.sub("*", str(node.arguments["name"])), node.results[0].shape, times
        elif node.body is not None and node.times is not None:
            yield from parameters(node.body, times * node.times)


def active(made: Traced) -> Terms:
    """Return the parameters that one token makes use of, where it picks experts.

    Of weights that are picked by rows these are as many as are picked for each token.
    """
    tokens = prod((s for _, n in made.graph.of("input")[:1] for s in n.results[0].shape), start=ONE)
    return algebra.terms(sum(_active(made.graph, tokens), start=Integer(0)))


def _active(graph: Graph, tokens: Expr, times: Expr = ONE) -> Iterator[Expr]:
    picked: dict[int, Expr] = {}
    for node in graph.nodes:
        taken = node.arguments.get("self")
        if node.operation in PICKING and isinstance(taken, Ref):
            picked[taken.node] = node.results[0].shape[0]
    for i, node in enumerate(graph.nodes):
        if node.operation == "weight":
            shape = node.results[0].shape
            rows = (picked[i] / tokens,) if i in picked else shape[:1]
            yield prod((*rows, *shape[1:]), start=times)
        elif node.body is not None and node.times is not None:
            yield from _active(node.body, tokens, times * node.times)
