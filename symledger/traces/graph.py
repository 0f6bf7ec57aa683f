"""What was recorded of a module: operations of PyTorch on tensors, with lengths that are formulas.

A graph is data, and says nothing of what an operation costs or means: that is what rules are for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sympy import Expr

from symledger.traces.alive import Eager, Looks
from symledger.traces.checked import Checked

LEAVES = ("input", "weight", "buffer", "constant")
"""The operations of what comes from outside: data, parameters, buffers and fixed tensors."""
TABLE = "table"
"""The operation that stands for all that is computed from no data and no weight."""
ROUND, EACH = "round", "each"
"""What numbers and tensors begin with that are others in every round of a loop: see ``Node``."""
ASSIGNED = "assigned"
"""The operation by which a tensor has other elements, and gradients go back as if it had not."""
LIKE = tuple(
    f"aten.{name}" for kind in ("empty", "zeros", "ones", "full")
    for name in (f"{kind}_like", f"new_{kind}")
)  # fmt: skip
"""Operations that only ask for the shape of what they are given: they make tables."""
DRAWN = (
    "aten.rand", "aten.randn", "aten.rand_like", "aten.randn_like", "aten.bernoulli",
    "aten.exponential", "aten.normal", "aten.normal_functional", "aten.uniform",
)  # fmt: skip
"""Operations that draw at random: other numbers every time, whatever they are given."""


def makes_table(operation: str, fixed: bool) -> bool:
    """Whether an operation makes a table; ``fixed`` says that what it is given is one."""
    return operation in (TABLE, *LIKE) or (fixed and operation.rstrip("_") not in DRAWN)


@dataclass(frozen=True)
class Ref:
    """A tensor: which result of which node. Nodes are numbered in their graph, from 0."""

    node: int
    result: int = 0


@dataclass(frozen=True)
class Kind:
    """The shape of a tensor, and its elements: ``float``, ``int``, ``bool``, ``complex``."""

    shape: tuple[Expr, ...]
    elements: str = "float"


Argument: TypeAlias = "Ref | Expr | float | bool | str | tuple[Argument, ...] | None"
"""Whole numbers are formulas, of which most are constant."""


@dataclass(frozen=True)
class Block:
    """Operations that are run again going back, so that what they compute is not kept.

    ``number`` tells it from others of the same graph; ``early`` says that it is run again no
    further than to the last value that is needed.
    """

    number: int
    early: bool = False


@dataclass(frozen=True)
class Node:
    """One operation of PyTorch: its arguments by name, its results, and where it stands.

    ``path`` is that of the module that ran it, ``line`` the place in the user's file. A node
    ``repeat`` runs ``body`` so many times: its arguments ``x0``, ``x1``, … enter it; as many as
    it has results are carried. A pattern of ``period`` layers is one run of the body. ``within``
    are the blocks that it is run again with, the outermost first; ``beside`` are the paths of
    further lists, of which a round runs the modules of the same numbers.

    A node ``loop`` runs ``body`` so many times with the same weights. What enters stands in tuples:
    ``states``, which are carried, ``each``, of which a round takes its element, and ``same``. Its
    results are the last states, then sequences, each said as one of its elements. A sequence is
    used as ``("each", tensor, turned)``: all elements in order, or the last one first. In its body
    a number ``("round", start, step)`` is start + step·i in round i. Where it has lists ``beside``
    it goes along these: each round runs the next module, with weights of its own.
    """

    operation: str
    arguments: Mapping[str, Argument]
    results: tuple[Kind, ...]
    path: str = ""
    line: str = ""
    body: Graph | None = None
    times: Expr | None = None
    period: int = 1
    within: tuple[Block, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def refs(self) -> Iterator[Ref]:
        """The tensors that it takes."""
        for argument in self.arguments.values():
            yield from refs_of(argument)


@dataclass(frozen=True)
class Graph:
    """Nodes in the order in which they ran, and which tensors are the result.

    Leaves are nodes too, before what uses them; a name and what else they need stands in their
    arguments.
    """

    nodes: tuple[Node, ...]
    outputs: tuple[Ref, ...]

    def kind(self, ref: Ref) -> Kind:
        """Return what a tensor is."""
        return self.nodes[ref.node].results[ref.result]

    def of(self, operation: str) -> list[tuple[int, Node]]:
        """Return the nodes of an operation, with their numbers."""
        return [(i, n) for i, n in enumerate(self.nodes) if n.operation == operation]

    @property
    def bodies(self) -> Iterator[Graph]:
        """This graph and those of its repetitions, at any depth."""
        yield self
        for node in self.nodes:
            if node.body:
                yield from node.body.bodies


AS = ", as "
"""What stands between the value of an argument and the one that it is as large as, always."""
ENTERS = ", a length of what enters"
"""What stands behind the value of a fixed length that is no argument."""


@dataclass(frozen=True)
class Argued:
    """A name, and what goes with it: an argument that is no size, with what it was given."""

    name: str
    value: str


RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    ">": operator.gt, "≥": operator.ge, "≤": operator.le, "<": operator.lt, "≠": operator.ne,
    "∤": lambda a, b: b % a != 0,
}


@dataclass(frozen=True)
class Condition:
    """How a size stands to another one, or to a number: beyond that other operations run."""

    left: str
    relation: str
    right: str

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether sizes are so."""
        left, right = (int(x) if x.isdecimal() else sizes[x] for x in (self.left, self.right))
        return RELATIONS[self.relation](left, right)

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True)
class Traced:
    """A module, traced: its graph, the sizes that it was built of, and what was verified.

    ``sizes`` are the values asked for, by symbol; ``names`` what the constructor calls them;
    ``definitions`` the sizes that are no polynomials of others; ``fixed`` the other arguments;
    ``points`` the sizes at which the module did what the graph says, ``checks`` what was checked;
    ``conditions`` say of sizes how they stand to others, which they do at all points;
    ``effects`` are buffers that are written, with the operation that does, ``custom`` modules that
    run an ``autograd.Function``, with its name. There ``*`` stands for the numbers of layers.
    ``eager`` says what is in memory when, if that was looked at, with the gradients of what enters
    and without. ``looking``, which no file keeps, looks at it where a step is run otherwise.
    """

    name: str
    source: str
    graph: Graph
    sizes: Mapping[str, int]
    names: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, Expr] = field(default_factory=dict)
    fixed: tuple[Argued, ...] = ()
    training: bool = True
    points: tuple[Mapping[str, int], ...] = ()
    torch: str = ""
    checks: tuple[Checked, ...] = ()
    effects: tuple[Argued, ...] = ()
    custom: tuple[Argued, ...] = ()
    conditions: tuple[Condition, ...] = ()
    eager: tuple[Eager, ...] = ()
    looking: Looks | None = field(default=None, compare=False, repr=False)


def refs_of(argument: Argument) -> Iterator[Ref]:
    """Yield the tensors in an argument."""
    if isinstance(argument, Ref):
        yield argument
    elif isinstance(argument, tuple):
        for each in argument:
            yield from refs_of(each)
