"""A folded graph beside one run of its module: which step each node is, in every repetition.

A graph that is written out runs in the order of the module: the n-th operation of one is the n-th
of the other. Leaves are found by who uses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr

from symledger.errors import BadInput
from symledger.traces.graph import LEAVES, TABLE, Graph, Node, Ref, refs_of
from symledger.traces.lowering import Lowered
from symledger.tracing.graphs import lasting
from symledger.tracing.recording import Recording

Rounds = tuple[int, ...]
"""Which round of each repetition around a node it is, from the outermost in."""


@dataclass(frozen=True)
class Executed:
    """A node as it ran once: in which graph, in which rounds, and the number of its step."""

    lowered: Lowered
    node: int
    rounds: Rounds
    step: int

    @property
    def written(self) -> Node:
        """The node."""
        return self.lowered.graph.nodes[self.node]


def executed(lowered: Lowered, at: Mapping[Expr, Expr], recording: Recording) -> list[Executed]:
    """Return every operation that runs, with its step.

    A fixed tensor that has a step here alone is a leaf of the graph, and found by who uses it.

    Raises:
        BadInput: the run does something else than the graph.
    """
    steps = recording.steps
    plain = Graph(tuple(Node(s.operation, s.arguments, ()) for s in steps), recording.outputs)
    lasted = [n for n in lasting(plain) if steps[n].operation not in LEAVES]
    found: list[Executed] = []
    numbers = iter(lasted)
    nodes = list(_nodes(lowered, at, ()))
    for inner, i, rounds in nodes:
        mine = inner.graph.nodes[i].operation
        number = next((n for n in numbers if mine == TABLE or steps[n].operation != TABLE), None)
        if number is None:
            break
        its = steps[number].operation
        if mine != its:
            raise BadInput(
                f"on the processor this module runs {its} in {steps[number].path or 'forward'} "
                f"({steps[number].line}), where it was traced to run {mine}."
            )
        found.append(Executed(inner, i, rounds, number))
    rest = [n for n in numbers if steps[n].operation != TABLE]
    if rest or len(found) != len(nodes):
        raise BadInput(
            f"on the processor this module runs {len(found) + len(rest):,} operations, where it "
            f"was traced to run {len(nodes):,}."
        )
    return found


def _nodes(
    lowered: Lowered, at: Mapping[Expr, Expr], rounds: Rounds
) -> Iterator[tuple[Lowered, int, Rounds]]:
    for i, node in enumerate(lowered.graph.nodes):
        if node.times is not None:
            for k in range(int(node.times.xreplace(dict(at)))):
                yield from _nodes(lowered.inner[i], at, (*rounds, k))
        elif node.operation not in LEAVES:
            yield lowered, i, rounds


def leaves_of(e: Executed, recording: Recording) -> Iterator[tuple[Lowered, Ref, Rounds, Ref]]:
    """Yield the leaves that an operation takes: where they stand, and in the run."""
    taken = (r for a in recording.steps[e.step].arguments.values() for r in refs_of(a))
    for mine, its in zip(e.written.refs, taken, strict=True):
        yield from resolved(e.lowered, mine, e.rounds, its)


def resolved(
    lowered: Lowered, ref: Ref, rounds: Rounds, its: Ref
) -> Iterator[tuple[Lowered, Ref, Rounds, Ref]]:
    """Yield a tensor, if it is a leaf; what enters a repetition is looked for outside of it."""
    node = lowered.graph.nodes[ref.node]
    if lowered.parent is None or node.operation != "input":
        if node.operation in LEAVES:
            yield lowered, ref, rounds, its
        return
    repeat = lowered.parent.graph.nodes[lowered.node]
    if ref.node >= len(repeat.results) or rounds[-1] == 0:
        outer = repeat.arguments[f"x{ref.node}"]
        assert isinstance(outer, Ref)
        yield from resolved(lowered.parent, outer, rounds[:-1], its)
