"""Traces as files: written the same every time, read back the same, and refused with the place."""

import json
from dataclasses import replace

import pytest
from sympy import Float, Symbol, floor, sqrt

from symledger.errors import BadInput
from symledger.sizes import B, T, d, h, named
from symledger.traces.formulas import Formulas, written
from symledger.traces.graph import Argued, Condition, Graph, Kind, Node, Ref, Traced
from symledger.traces.reading import loaded
from symledger.traces.seal import seal
from symledger.traces.writing import dumped
from tests import documents

SAVED = documents.ROOT / "examples" / "gpt.trace.json"
n_1 = named("n_1")


def traced():
    """A trace with one of everything: a floor, a root, a repetition, infinities, lists."""
    body = Graph(
        (Node("input", {"name": "x0"}, (Kind((B, T, d)),)),
         Node("aten.relu", {"self": Ref(0)}, (Kind((B, T, d)),), "layers.0", "m.py:3")),
        (Ref(1),),
    )  # fmt: skip
    nodes = (
        Node("input", {"name": "x"}, (Kind((B, T, d)),)),
        Node("weight", {"name": "w", "trainable": True}, (Kind((n_1, d)),), "fc"),
        Node("repeat", {"x0": Ref(0)}, (Kind((B, T, d)),), "layers", body=body, times=h, period=2),
        Node("linear", {"input": Ref(2), "weight": Ref(1), "bias": None}, (Kind((B, T, n_1)),),
             "fc", "m.py:9"),
        Node("aten.mul", {"self": Ref(3), "other": 1 / sqrt(d / h), "a": float("-inf"), "b": 0.5,
                          "c": (1.0, True, "up", d * 0 + 3)}, (Kind((B, T, n_1)),)),
    )  # fmt: skip
    return Traced(
        "Net", "m.py", Graph(nodes, (Ref(4),)), {"B": 2, "T": 12, "d": 64, "h": 4},
        {"B": "B", "T": "T", "d": "width", "h": "heads"}, {"n_1": floor(8 * d / 3)},
        (Argued("bias", "True"),), True, ({"B": 2, "T": 12, "d": 64, "h": 4},), "2.0",
    )  # fmt: skip


@pytest.mark.parametrize("e", [
    d / h, 8 * d**2 / 3 - 1, floor(8 * d / 3) + 1, sqrt(d / h), 1 / sqrt(2 * d), d**12,
    256 * floor((2 * d + 255) / 256), Float(0.1), 2 * d + floor(floor(d / 2) / 2), d / 3,
], ids=str)  # fmt: skip
def test_a_formula_is_read_as_it_was_written(e):
    data = json.loads(json.dumps(written(e)))
    assert Formulas({"d": d, "h": h}).read(data) == e


@pytest.mark.parametrize("data", [
    "d.__class__", "__import__('os')", "f(d)", "d if d else h", "x", "9**9**9", "d**99", "[d]",
    {"floor": "x"}, {"eval": "d"}, {"power": ["d", "1.5"]}, {"power": ["d", "99999/1"]},
    {"power": [0, "-1"]}, {"sum": ["d"]}, {"product": "d"}, {"real": "1e999"}, {"real": 0.5},
    {"real": "nan"}, {}, [], None, True, 0.5, 10**19, {"floor": "d", "sum": []},
], ids=str)  # fmt: skip
def test_what_is_no_formula_is_refused(data):
    with pytest.raises(BadInput):
        Formulas({"d": d, "h": h}).read(data)


def test_a_formula_that_is_nested_without_end_is_refused():
    data = "d"
    for _ in range(100):
        data = {"floor": data}
    with pytest.raises(BadInput, match="nested"):
        Formulas({"d": d}).read(data)


def test_a_trace_is_read_as_it_was_written_and_written_the_same():
    text = dumped(traced())
    assert loaded(text.encode(), "x") == traced()
    assert dumped(loaded(text.encode(), "x")) == text


def test_how_sizes_stand_to_others_and_to_numbers_is_read_as_it_was_written():
    conditions = Condition("h", "<", "T"), Condition("8", "∤", "T")
    made = replace(traced(), conditions=conditions)
    assert loaded(dumped(made).encode(), "x") == made


def test_the_seal_is_that_of_the_content():
    text = dumped(traced())
    compact = json.dumps(json.loads(text), sort_keys=True)
    assert loaded(compact.encode(), "x") == traced()
    assert dumped(replace(traced(), torch="2.1")) != text


def refused(data, said):
    with pytest.raises(BadInput, match=said):
        loaded(data if isinstance(data, bytes) else json.dumps(data).encode(), "x.trace.json")


def changed(path, value, sealed):
    """A saved trace with one piece of it changed, and sealed anew or not."""
    data = json.loads(dumped(traced()))
    *way, last = path
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = value
    return data | {"seal": seal(data)} if sealed else data


@pytest.mark.parametrize(("path", "value", "place"), [
    (("sizes", "d"), 65, "sizes"),
    (("points", 0, "d"), 65, "points"),
    (("graph", "nodes", 1, "results", 0, 1), "2*d", r"graph\.nodes\[1\]"),
    (("graph", "outputs"), [[3, 0]], "graph: "),
    (("torch",), "2.1", "torch"),
    (("seal", "hash"), "0" * 64, "seal"),
    (("seal",), None, "name|schema|version"),
], ids=str)  # fmt: skip
def test_an_edit_is_found_and_named(path, value, place):
    refused(changed(path, value, sealed=False), f"{place}.*edited or damaged")


GRAPH = ("graph", "nodes")


@pytest.mark.parametrize(("path", "value", "place"), [
    (("schema",), "symledger.trace/9", "schema"),
    (("schema",), 1, "schema"),
    (("sizes", "d"), 0, r"sizes\.d"),
    (("sizes", "d"), "64", r"sizes\.d"),
    (("sizes", "d"), True, r"sizes\.d"),
    (("sizes", "a b"), 1, "sizes.*no name"),
    (("sizes", "None"), 1, "sizes"),
    (("sizes", "n_1"), 1, r"definitions\.n_1"),
    (("names", "zzz"), "x", "zzz is no size"),
    (("definitions", "n_1"), "n_1 + 1", r"definitions\.n_1.*not known before"),
    (("definitions", "n_1"), "q", r"definitions\.n_1.*not a symbol"),
    (("points", 0), {"d": 3}, r"points\[0\].*no value for"),
    (("extra",), 1, "no key extra"),
    ((*GRAPH, 0, "op"), "os.system('x')", r"nodes\[0\]\.op"),
    ((*GRAPH, 0, "arguments"), {}, r"nodes\[0\].*name"),
    ((*GRAPH, 0, "path"), "fc", r"nodes\[0\]\.path.*of no module"),
    ((*GRAPH, 0, "results"), [], r"nodes\[0\]\.results"),
    ((*GRAPH, 0, "results", 0, 0), "object", r"nodes\[0\]\.results\[0\]\[0\]"),
    ((*GRAPH, 0, "results", 0, 1), "__import__('os')", r"nodes\[0\]\.results\[0\]\[1\]"),
    ((*GRAPH, 3, "arguments", "input"), {"tensor": [3, 0]}, r"nodes\[3\].*does not come before"),
    ((*GRAPH, 3, "arguments", "input"), {"tensor": [-1, 0]}, r"nodes\[3\].*whole number"),
    ((*GRAPH, 3, "arguments", "input"), {"tensor": [2, 5]}, r"nodes\[3\].*has 1 results"),
    ((*GRAPH, 3, "arguments", "input"), {"tensor": [2]}, r"nodes\[3\]"),
    ((*GRAPH, 3, "arguments", "input"), {"call": "x"}, r"nodes\[3\]\.arguments\.input"),
    ((*GRAPH, 3, "body"), {"nodes": [], "outputs": []}, r"nodes\[3\].*body"),
    ((*GRAPH, 3, "line"), "x\u0007", r"nodes\[3\]\.line"),
    ((*GRAPH, 2, "period"), 0, r"nodes\[2\]\.period"),
    ((*GRAPH, 2, "times"), "x", r"nodes\[2\]\.times"),
    ((*GRAPH, 2, "arguments"), {"y": {"tensor": [0, 0]}}, r"nodes\[2\]\.arguments"),
    ((*GRAPH, 2, "body", "outputs"), [], r"nodes\[2\]\.results"),
    ((*GRAPH, 2, "body", "nodes", 0, "results"), [["float", "B"]], r"nodes\[2\]\.body\.nodes"),
    ((*GRAPH, 2, "results"), [["float", "B"]], r"nodes\[2\]\.results"),
    (("graph", "outputs"), [[9, 0]], "graph.outputs"),
    (("checks",), [{"quantity": "all"}], r"checks\[0\]"),
    (("conditions",), [["T", "≤", "8"]], r"conditions\[0\].*does not hold"),
    (("conditions",), [["0", "∤", "T"]], r"conditions\[0\].*two sizes"),
    (("conditions",), [["8", "≤", "9"]], r"conditions\[0\].*two sizes"),
], ids=str)  # fmt: skip
def test_a_hostile_trace_is_refused_with_the_place(path, value, place):
    refused(changed(path, value, sealed=True), place)


@pytest.mark.parametrize(("content", "said"), [
    (b"", "not JSON"), (b"[1]", "object"), (b"{}", "schema is missing"), (b"\xff", "UTF-8"),
    (b'{"schema": 1, "schema": 2}', "twice"), (b'{"a": NaN}', "NaN"), (b"[" * 100_000, "nesting"),
    (dumped(traced()).encode()[:900], "not JSON.*line"), (b'{"a": ' + b"9" * 5000 + b"}", "absurd"),
], ids=["empty", "list", "nothing", "bytes", "twice", "nan", "deep", "cut", "digits"])  # fmt: skip
def test_what_is_no_trace_is_refused(content, said):
    refused(content, said)


def test_repetitions_are_nested_so_deep_and_no_deeper():
    data = json.loads(dumped(traced()))
    repeat = data["graph"]["nodes"][2]
    for _ in range(20):
        inner = {**repeat, "arguments": {"x0": {"tensor": [0, 0]}}}
        nodes = [repeat["body"]["nodes"][0], inner]
        repeat = {**repeat, "body": {"nodes": nodes, "outputs": [[1, 0]]}}
    data["graph"]["nodes"][2] = repeat
    refused(data | {"seal": seal(data)}, "deep in one another")


def test_the_saved_example_is_as_it_would_be_written():
    text = SAVED.read_text("utf-8")
    assert dumped(loaded(text.encode(), "x")) == text


def test_symbols_are_those_of_the_alphabet():
    found = loaded(SAVED.read_bytes(), "x")
    shape = found.graph.nodes[found.graph.outputs[0].node].results[0].shape
    assert Symbol("V") not in shape
    assert named("V") in shape
