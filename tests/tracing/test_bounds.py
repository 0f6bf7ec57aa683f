"""Below what whole numbers that enter stay, where their columns index tables of several lengths."""

import pytest
from sympy import Integer, Symbol

pytest.importorskip("torch", reason="needs PyTorch")

from symledger.traces.graph import Graph, Kind, Node, Ref  # after PyTorch is known to be there
from symledger.tracing.runs.bounds import bounded, least

B, V, W = map(Symbol, "BVW")


def column(i):
    """One column of the numbers, which are the first node."""
    return Node("aten.select", {"self": Ref(0), "dim": 1, "index": i}, (Kind((B,), "int"),))


def looked_up(rows, indices):
    """Rows of a table of a length."""
    picked = {"weight": Ref(rows), "indices": Ref(indices)}
    return Node("aten.embedding", picked, (Kind((B, Integer(4)), "float"),))


def test_numbers_stay_below_the_shortest_table_at_every_size():
    graph = Graph((
        Node("input", {"name": "ids"}, (Kind((B, Integer(2)), "int"),)),
        Node("weight", {"name": "a"}, (Kind((V, Integer(4)), "float"),)),
        Node("weight", {"name": "b"}, (Kind((W, Integer(4)), "float"),)),
        column(0), looked_up(1, 3), column(1), looked_up(2, 5),
    ), (Ref(4), Ref(6)))  # fmt: skip
    below = bounded(graph).nodes[0].arguments["below"]
    for v, w in ((3, 9), (9, 3)):
        assert least(below, {V: Integer(v), W: Integer(w)}) == 3
