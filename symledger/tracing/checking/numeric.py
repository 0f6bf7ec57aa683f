"""Does the traced program compute what the module computes? Both run, and all numbers compared.

The program runs in NumPy, operation by operation, on the module's own weights, tables and masks;
the module runs in PyTorch. Compared are all outputs, and the gradients of all weights and inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Integer

from symledger.errors import BadInput
from symledger.ir.ops import Input
from symledger.ir.tensor import Tensor, reachable
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import own_leaves
from symledger.readings.numpy.values import Values
from symledger.readings.pullback import pullback
from symledger.traces.graph import Graph, Ref, makes_table
from symledger.traces.lowering import Lowered, Points, lowered
from symledger.traces.rules.table import Complex, Value
from symledger.traces.values import tensors_of
from symledger.tracing.checking.real import Ran
from symledger.tracing.folds.aligned import (
    Executed,
    Rounds,
    executed,
    leaves_of,
    nearly_same,
    resolved,
)

Array = NDArray[Any]
CLOSE, NEAR = 1e-10, 1e-5
"""How far apart numbers may be to their scale: in double precision, and where less was used."""
NOISE = 64 * float(np.finfo(float).eps)
"""Of the largest gradient: by so much it is off in double precision, whatever is computed.

A gradient that sums n elements is off by √n as much, for roundings are as often up as down. That
of a bias before a norm is zero, and such noise is all that either side computes.
"""

SUMS = ("aten.sum", "aten.mean")


@dataclass(frozen=True)
class Differences:
    """How far each tensor is apart, to its scale; and the first operation that gives others."""

    apart: Mapping[str, float]
    tolerance: float
    first: str = ""
    quiet: tuple[str, ...] = ()
    routed: tuple[str, ...] = ()
    """How many rows experts got, where routes were what they were."""

    @property
    def worst(self) -> float:
        """The largest of all differences."""
        return max(self.apart.values(), default=0.0)

    @property
    def wrong(self) -> list[str]:
        """The tensors that are too far apart."""
        return [name for name, apart in self.apart.items() if not apart <= self.tolerance]

    def __str__(self) -> str:
        if not self.wrong:
            return f"{len(self.apart)} tensors agree, at most {self.worst:.1e} apart"
        told = ", ".join(f"{n} ({self.apart[n]:.1e})" for n in self.wrong[:5])
        where = f"; first in {self.first}" if self.first else "; every operation forward agrees"
        return f"{len(self.wrong)} of {len(self.apart)} tensors differ: {told}{where}"


def compare(
    graph: Graph, sizes: Mapping[Expr, int], ran: Ran, points: Points = ()
) -> Differences:
    """Run the program of a graph beside a run of its module, at the same sizes.

    Raises:
        BadInput: something is not understood, or the run does something else than the graph.
    """
    return Comparison(graph, sizes, ran, points).result()


@dataclass
class Leaves:
    """Arrays for the leaves of a program, and how the module calls those that are weights."""

    arrays: dict[Tensor, dict[Rounds, Array]] = field(default_factory=dict)
    names: dict[Tensor, dict[Rounds, str]] = field(default_factory=dict)

    def note(self, leaf: Tensor, rounds: Rounds, value: Array, name: str = "") -> None:
        """Remember what a leaf is in one round."""
        self.arrays.setdefault(leaf, {})[rounds] = value
        if name:
            self.names.setdefault(leaf, {})[rounds] = name


class Comparison:
    """A program, filled with what PyTorch had, and run."""

    def __init__(
        self, graph: Graph, sizes: Mapping[Expr, int], ran: Ran, points: Points
    ) -> None:
        self.ran, self.sizes = ran, dict(sizes)
        self.program, self.lowered = lowered(graph, None, "traced", points, tables_enter=True)
        self.machine = Machine({s: n for s, n in sizes.items() if s.is_Symbol})
        at = {s: Integer(n) for s, n in sizes.items()}
        self.executed = executed(self.lowered, at, ran.recording)
        self.kept = Leaves()
        self._fill()

    def _fill(self) -> None:
        """Find every leaf in the run."""
        values, steps = self.ran.values, self.ran.recording.steps
        for own, ref, rounds, its in self._leaves():
            name = str(steps[its.node].arguments.get("name", ""))
            self.kept.note(leaf_of(own.made[ref]), rounds, values[its.node][its.result], name)
        used = {*self.kept.arrays}  # those behind layers have other numbers in a deeper module
        for i, step in enumerate(steps):
            name = str(step.arguments.get("name", ""))
            for j, node in self.lowered.graph.of(step.operation):
                if step.operation in ("input", "weight") and node.arguments["name"] == name:
                    leaf = leaf_of(self.lowered.made[Ref(j)])
                    if leaf not in used:
                        self.kept.note(leaf, (), values[i][0], name)
        known = {*self.kept.arrays, *(x for p in self.program.bodies for x in p.inputs)}
        for e in self.executed:
            for leaf in self._told(e, known):
                self.kept.note(leaf, e.rounds, self._telling(e, leaf))

    def _leaves(self) -> Iterator[tuple[Lowered, Ref, Rounds, Ref]]:
        for e in self.executed:
            yield from leaves_of(e, self.ran.recording)
            if makes_table(e.written.operation, fixed=False):
                for r in range(len(e.written.results)):
                    yield e.lowered, Ref(e.node, r), e.rounds, Ref(e.step, r)
        for mine, its in zip(
            self.lowered.graph.outputs, self.ran.recording.outputs, strict=True
        ):
            yield from resolved(self.lowered, mine, (), its)

    def _told(self, e: Executed, known: set[Tensor]) -> list[Tensor]:
        """The inputs that a rule made: masks that are drawn, places that depend on data.

        A rule may look through what it is given, at what that was made of.
        """
        made = {t for r, x in e.lowered.made.items() if r.node == e.node for t in tensors_of(x)}

        def inputs(taken: set[Tensor]) -> list[Tensor]:
            inner = reachable(tuple(made - taken), taken)
            return [x for x in inner if isinstance(x.op, Input) and x not in known | taken]

        before = [r for r in e.written.refs if r in e.lowered.made]
        if not inputs({t for r in before for t in tensors_of(e.lowered.made[r])}):
            return []
        return inputs({t for r, x in e.lowered.made.items() if r.node < e.node
                       for t in tensors_of(x)})  # fmt: skip

    def _telling(self, e: Executed, leaf: Tensor) -> Array:
        """What such an input was in the run: a mask, or a result itself."""
        results = self.ran.values[e.step]
        for r, x in enumerate(results):
            if leaf_of(e.lowered.made[Ref(e.node, r)]) is leaf:
                return x
        drawn = self.ran.draws.get(e.step, results[0])
        shape = self.machine.shape_of(leaf)
        if drawn.shape == ():  # nothing is dropped: as if each were kept in part
            return np.full(shape, drawn)
        if drawn.size != prod(shape):
            where = e.written.path or "forward"
            raise BadInput(f"what {e.written.operation} in {where} draws was not written down.")
        return drawn.reshape(shape)

    @cached_property
    def leaves(self) -> dict[Tensor, Array]:
        """Every leaf of the program, those of repeated bodies stacked by application."""
        found = {}
        at = {s: Integer(n) for s, n in self.sizes.items()}
        idle = {x for body in self.program.bodies for x in body.idle}
        for leaf, shape in own_leaves(self.program):
            if leaf not in self.kept.arrays:
                if leaf not in idle:
                    raise BadInput(f"{leaf.op} is not found in the run.")
                found[leaf] = np.zeros([int(n.xreplace(at)) for n in shape])  # of layers, unused
                continue
            found[leaf] = stacked({
                rounds: fitted(x, leaf) for rounds, x in self.kept.arrays[leaf].items()
            })  # fmt: skip
        return found

    @cached_property
    def values(self) -> Values:
        """The forward pass."""
        return self.machine.run(self.program, self.leaves)

    def result(self) -> Differences:
        """Compare outputs and gradients."""
        with np.errstate(all="ignore"):
            found = dict(self._outputs())
            tolerance = NEAR if self.ran.narrow or self._nearly() else CLOSE
            first = ""
            if any(not x <= tolerance for x in found.values()):
                first = self._first(tolerance)
            found |= self._gradients()
        return Differences(found, tolerance, first, self.ran.quiet)

    def _nearly(self) -> bool:
        at = {s: Integer(n) for s, n in self.sizes.items()}
        return any(nearly_same(e, at, self.ran.recording) for e in self.executed)

    def _outputs(self) -> Iterator[tuple[str, float]]:
        ends = zip(self.lowered.graph.outputs, self.ran.recording.outputs, strict=True)
        for i, (mine, its) in enumerate(ends):
            known = self.ran.values[its.node][its.result]
            scale = self._summed(its.node, known.size)
            for t, x in beside(self.lowered.made[mine], known):
                yield f"output {i + 1}", apart(self.values[t], x, scale)

    def _summed(self, node: int, size: int) -> float:
        """Return the least scale of what a step gives: of a sum that cancels, its roundings."""
        step = self.ran.recording.steps[node]
        of = step.arguments.get("self")
        if step.operation not in SUMS or not isinstance(of, Ref):
            return 0.0
        terms = self.ran.values[of.node][of.result]
        return largest(terms) * NOISE / CLOSE * sqrt(max(1, terms.size / max(1, size)))

    def _first(self, tolerance: float) -> str:
        """Say which operation is the first to give something else."""
        for e in self.executed:
            values = inner_values(self.values, e.lowered, e.rounds)
            pairs = [
                pair for ref, value in e.lowered.made.items() if ref.node == e.node
                for pair in beside(value, self.ran.values[e.step][ref.result])
            ]
            if not all(apart(values[t], x) <= tolerance for t, x in pairs if t in values.arrays):
                step = self.ran.recording.steps[e.step]
                return f"{step.operation} in {step.path or 'forward'} ({step.line})"
        return ""

    def _gradients(self) -> dict[str, float]:
        ours = self.gradients
        known = {**self.ran.weights, **self.ran.entering}
        scale = max((largest(g) for g in known.values()), default=0.0) * NOISE / CLOSE
        most = max((x.size for made in self.ran.values for x in made), default=1)
        return {
            f"gradient of {n}": apart(
                ours.get(n, np.zeros(g.shape)), g, scale * sqrt(max(1, most / max(1, g.size)))
            )
            for n, g in known.items()
        }  # fmt: skip

    @cached_property
    def gradients(self) -> dict[str, Array]:
        """The gradients of the backward program, by the module's names; the sum of all uses."""
        pull = pullback(self.program)
        sent = [
            pair for r, seed in zip(self.lowered.graph.outputs, self.ran.seeds, strict=True)
            for pair in beside(self.lowered.made[r], seed)
        ]
        seeds = {t: x for t, (_, x) in zip(pull.seeds, sent, strict=True)}
        found: dict[str, Array] = {}
        for leaf, g in self.machine.back(pull, self.values, seeds).items():
            for rounds, name in self.kept.names.get(leaf, {}).items():
                found[name] = found.get(name, 0) + g[rounds]
        return found


def inner_values(values: Values, own: Lowered, rounds: Rounds) -> Values:
    """Return the values of one round of a body."""
    chain: list[Tensor] = []
    while own.parent is not None:
        assert own.call is not None
        chain.insert(0, own.call)
        own = own.parent
    for call, k in zip(chain, rounds, strict=True):
        values = values.inner[call][k]
    return values


def stacked(found: Mapping[Rounds, Array]) -> Array:
    """Stack arrays by round, the outermost repetition first."""
    if () in found:
        return found[()]
    firsts = sorted({rounds[0] for rounds in found})
    return np.stack([
        stacked({rounds[1:]: x for rounds, x in found.items() if rounds[0] == k}) for k in firsts
    ])  # fmt: skip


def fitted(x: Array, like: Tensor) -> Array:
    """Return an array of PyTorch's as a leaf of ours: complex numbers as pairs, truths as 0, 1."""
    if np.iscomplexobj(x) and like.rank > x.ndim:
        x = np.stack([x.real, x.imag], axis=-1)
    return x if x.dtype.kind == "i" and like.storage == "index" else x.astype(float)


def beside(value: Value, x: Array) -> list[tuple[Tensor, Array]]:
    """Return the tensors that a value is, each with its part of PyTorch's array."""
    if isinstance(value, Complex):
        return [(value.real, x.real), (value.imaginary, x.imag)]
    return [(value, x.astype(float))]


def leaf_of(value: Value) -> Tensor:
    """Return the leaf that a value is, or of which complex numbers are the two parts."""
    t = tensors_of(value)[0]
    while t.args:
        t = t.args[0]
    return t


def apart(a: Array, b: Array, scale: float = 0.0) -> float:
    """Return how far two arrays are apart, to the scale of the second."""
    if np.shape(a) != np.shape(b):
        return float("inf")
    if np.size(b) and not np.any(np.isfinite(b)):  # nothing that could be compared
        return float("inf")
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    difference = np.where(same, 0.0, np.abs(np.where(same, 0.0, a) - np.where(same, 0.0, b)))
    return float(np.max(difference, initial=0.0)) / (max(largest(b), scale) or 1.0)


def largest(x: Array) -> float:
    """The largest finite element, without its sign."""
    return float(np.max(np.abs(np.where(np.isfinite(x), x, 0.0)), initial=0.0))
