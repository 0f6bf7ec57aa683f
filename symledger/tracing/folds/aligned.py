"""A folded graph beside one run of its module: which step each node is, in every repetition.

A graph that is written out runs in the order of the module: the n-th operation of one is the n-th
of the other. Leaves are found by who uses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from symledger.errors import BadInput
from symledger.traces.graph import EACH, LEAVES, TABLE, Graph, Node, Ref
from symledger.traces.lowering import Lowered
from symledger.tracing.folds.graphs import lasting
from symledger.tracing.runs.recording import Recording

OUTSIDE = (*LEAVES, TABLE)
"""What does not run: it comes from outside, or is there."""
Rounds = tuple[int, ...]
"""Which round of each repetition around a node it is, from the outermost in."""


HARDLY = 1e-6
"""How far a number is from itself that was computed in single precision."""


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
    lasted = [n for n in lasting(plain) if steps[n].operation not in OUTSIDE]
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
        elif node.operation not in OUTSIDE:
            yield lowered, i, rounds


def nearly_same(e: Executed, at: Mapping[Expr, Expr], recording: Recording) -> bool:
    """Whether an operation takes a number that is another one in double precision, but hardly.

    What a constructor computes by tensors is of the precision that it was built in.
    """
    given = recording.steps[e.step].arguments
    for name, mine in e.written.arguments.items():
        its = given[name]
        if isinstance(its, float) and isinstance(mine, float | Expr):
            own = float(mine.xreplace(dict(at))) if isinstance(mine, Expr) else mine
            if own != its and abs(own - its) <= HARDLY * abs(its):
                return True
    return False


def leaves_of(e: Executed, recording: Recording) -> Iterator[tuple[Lowered, Ref, Rounds, Ref]]:
    """Yield the leaves that an operation takes: where they stand, and in the run."""
    given = recording.steps[e.step].arguments
    for name, a in e.written.arguments.items():
        for mine, its in beside(a, given[name]):
            yield from resolved(e.lowered, mine, e.rounds, its)


def beside(mine: Any, its: Any) -> Iterator[tuple[Ref, Ref]]:
    """Yield the tensors in an argument with those of a run; what a loop made is no leaf."""
    if isinstance(mine, Ref):
        yield mine, its
    elif isinstance(mine, tuple) and isinstance(its, tuple):
        several = [i for i, x in enumerate(mine) if isinstance(x, tuple) and x[:1] == (EACH,)]
        if several:
            after = len(mine) - several[-1] - 1
            its = (*its[: several[0]], *its[len(its) - after :])
            mine = (*mine[: several[0]], *mine[several[-1] + 1 :])
        for a, b in zip(mine, its, strict=True):
            yield from beside(a, b)


def resolved(
    lowered: Lowered, ref: Ref, rounds: Rounds, its: Ref
) -> Iterator[tuple[Lowered, Ref, Rounds, Ref]]:
    """Yield a tensor, if it is a leaf; what enters a repetition is looked for outside of it.

    The weights of a loop are the same in all its rounds, unless it goes along lists of modules.
    """
    node = lowered.graph.nodes[ref.node]
    if lowered.parent is None or node.operation != "input":
        if node.operation in OUTSIDE:
            yield lowered, ref, own_rounds(lowered, rounds, node), its
        return
    around = lowered.parent.graph.nodes[lowered.node]
    if ref.node >= carried(around) or rounds[-1] == 0:
        outer = list(around.refs)[ref.node]
        yield from resolved(lowered.parent, outer, rounds[:-1], its)


def carried(repetition: Node) -> int:
    """Return how many tensors are carried from round to round."""
    states = repetition.arguments.get("states")
    return len(states) if isinstance(states, tuple) else len(repetition.results)


def own_rounds(lowered: Lowered, rounds: Rounds, node: Node) -> Rounds:
    """Return the rounds by which a leaf is told from others of its name."""
    found: list[int] = []
    for k in reversed(rounds):
        assert lowered.parent is not None
        around = lowered.parent.graph.nodes[lowered.node]
        shared = around.operation == "loop" and not around.beside
        if not (shared and node.operation == "weight"):
            found.insert(0, k)
        lowered = lowered.parent
    return tuple(found)
