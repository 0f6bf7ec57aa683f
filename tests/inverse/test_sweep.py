"""`sweep` against brute force: every configuration derived anew; at the edge of int64."""

import csv
import json
import os
from itertools import product

import pytest

from symledger import derive
from symledger import sizes as alphabet
from symledger.algebra import Monomial, times
from symledger.errors import SymledgerError
from symledger.inverse.sweep import run as running
from symledger.inverse.sweep.axes import split
from symledger.inverse.sweep.plan import Plan
from symledger.inverse.sweep.run import found_in
from symledger.inverse.sweep.sweep import Asked, sweep
from tests.invoke import assert_refuses, run

GPT = {"T": 8, "T_max": 12, "V": 30, "L": 2, "h": 2, "d": 12, "B": 1}
LLAMA = {"T": 8, "V": 30, "L": 2, "h": 2, "d": 12, "d_ff": 20, "B": 1}
CASES = [
    ("gpt", GPT, {}, {"d": "6:24:2", "h": "2,3,4", "T": "5:14"},
     ("params <= 6000", "memory.training >= 60kB and d >= 4*h")),
    ("gpt", GPT, {"dtype": "bf16"}, {"L": "1:30", "d": "12,24"}, ("memory.saved < 40kB",)),
    ("llama", LLAMA, {}, {"h": "1:12", "h_kv": "1:12", "d": "24,36"},
     ("params > 5000 and params != 6744",)),
    ("mistral", {**LLAMA, "w_max": 6}, {"causal": "exact"}, {"T": "1:16", "d": "12:24:4"},
     ("flops.forward <= 2e6",)),
    ("gpt", {**GPT, "V": 31}, {}, {"V": "1:9"}, ("params <= 3980",)),
    ("vit", {"C_in": 3, "P": 4, "d": 8, "h": 2, "L": 2, "Y": 5, "W": 16, "B": 1}, {},
     {"H": "1:40"}, ("flops.forward <= 60000",)),
    ("resnet50", {}, {}, {"H": "60:70", "B": "1:3"}, ("flops.forward <= 5e9",)),
]  # fmt: skip


def brute(target, sizes, conventions, axes, holds):
    account = derive(target, sizes, **conventions)
    found = []
    for values in product(*(axis.values for axis in axes)):
        place = dict(zip((axis.name for axis in axes), values, strict=True))
        try:
            there = account.subs(place)
        except SymledgerError:
            continue
        if holds(there, place):
            found.append(values)
    return found


def meets(where):
    """The conditions of a case, evaluated by Python on derived values: they are ours."""
    def holds(there, place):
        for part in (part for text in where for part in text.split(" and ")):
            left, operator, right = part.split()
            a = place[left] if left in place else there[left].value
            b = 4 * place["h"] if right == "4*h" else float(right.replace("kB", "e3"))
            if not {"<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b, "!=": a != b}[operator]:
                return False
        return True
    return holds


@pytest.mark.parametrize("exact", [False, True], ids=["int64", "exact"])
@pytest.mark.parametrize(("target", "sizes", "conventions", "swept", "where"), CASES)
def test_it_finds_what_brute_force_finds(
    target, sizes, conventions, swept, where, exact, monkeypatch
):
    axes, _ = split(swept)
    sizes = {name: n for name, n in sizes.items() if name not in swept}
    for name in ("CELLS", "BISECTED"):
        monkeypatch.setattr(running, name, 16)
    if exact:
        monkeypatch.setattr("symledger.inverse.sweep.columns.LIMIT", 2)
    plan = Plan(derive(target, sizes, **conventions), axes, where, ())
    wanted = sorted(brute(target, sizes, conventions, axes, meets(where)))
    assert wanted
    for many in (2, 1000):  # rows are bisected, and looked at whole
        monkeypatch.setattr(running, "MANY", many)
        found = []
        for block in found_in(plan, None):
            found += list(zip(*(column.tolist() for column in block.sizes), strict=True))
        assert sorted(found) == wanted


EDGE = 2**63


@pytest.mark.parametrize("many", [2, 1000])
@pytest.mark.parametrize("over", [-2, -1, 0, 1, 2])
def test_amounts_next_to_what_int64_holds(over, many, monkeypatch):
    """Weights of a linear map, d_in·d_out + d_out, around 2^63: none is off by one."""
    monkeypatch.setattr(running, "MANY", many)
    half = 3037000500  # the first number whose square is above 2^63
    axes, _ = split({"d_in": f"{half - 3 + over}:{half + 3 + over}",
                     "d_out": f"{half - 3}:{half + 3}"})  # fmt: skip
    account = derive("linear", {"B": 1})
    rows = []
    for condition, holds in ((f"params <= {EDGE}", lambda n: n <= EDGE),
                             (f"params > {EDGE - 1}", lambda n: n > EDGE - 1)):
        plan = Plan(account, axes, (condition,), ("params",))
        assert not plan.quantities["params"].fits
        found = {row for block in found_in(plan, None) for row in
                 zip(*(c.tolist() for c in (*block.sizes, *block.values.values())), strict=True)}
        every = product(axes[0].values, axes[1].values)
        assert found == {(a, b, a * b + b) for a, b in every if holds(a * b + b)}
        rows.append(len(found))
    assert sum(rows) >= 49


def test_the_box_decides_whether_int64_holds_it():
    below, above = ({"d_in": "1:3037000498", "d_out": "3037000500"},
                    {"d_in": "1,3037000500", "d_out": "3037000500"})  # fmt: skip
    account = derive("linear", {"B": 1})
    below["d_in"] = "1,3037000498"
    fits = [Plan(account, split({n: t if "," in t else f"1,{t}" for n, t in axes.items()})[0],
                 (), ("params",)).quantities["params"].fits for axes in (below, above)]  # fmt: skip
    assert fits == [True, False]


@pytest.mark.parametrize("limit", [1, 5, 9, 10, 25, 47, 53, 54, 60])
@pytest.mark.parametrize("cells", [4, 16, 100])
def test_a_limit_looks_at_the_first_ones(limit, cells, monkeypatch):
    for name in ("CELLS", "BISECTED"):
        monkeypatch.setattr(running, name, cells)
    axes, _ = split({"d": "2:12:2", "L": "1:9"})
    plan = Plan(derive("gpt", {"T": 8, "T_max": 8, "V": 30, "B": 1, "h": 1}), axes, (), ())
    found = list(found_in(plan, limit))
    rows = [row for block in found for row in
            zip(*(column.tolist() for column in block.sizes), strict=True)]
    every = list(product(axes[0].values, axes[1].values))
    assert sum(block.looked for block in found) == min(limit, 54)
    assert rows == every[:limit]


def test_rows_are_sorted_and_kept(tmp_path):
    file = tmp_path / "best.csv"
    account = derive("gpt", {"T": 8, "T_max": 8, "V": 30, "B": 1})
    axes, _ = split({"d": "8:64:8", "L": "1:9", "h": "1,2,4,8"})
    asked = Asked(("params <= 50000",), "flops.training", str(file), rows=7)
    found = sweep(account, axes, asked)
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    assert rows[0] == ["d", "L", "h", "params", "flops.training"]
    assert [int(row[-1]) for row in rows[1:]] == sorted(int(row[-1]) for row in rows[1:])
    assert (len(rows) - 1, found.written, found.points) == (7, 7, 288)
    assert [tuple(map(int, row)) for row in rows[1:]] == list(found.rows[:7])
    every = sweep(account, axes, Asked(("params <= 50000",), "", str(file)))
    assert len(file.read_text("utf-8").splitlines()) == every.within + 1


def test_what_is_interrupted_leaves_no_file(tmp_path):
    def stop(looked, points):
        raise KeyboardInterrupt

    axes, _ = split({"L": "1:50"})
    account = derive("gpt", {"T": 8, "T_max": 8, "V": 30, "B": 1, "d": 8, "h": 2})
    with pytest.raises(KeyboardInterrupt):
        sweep(account, axes, Asked(to=str(tmp_path / "rows.csv")), stop)
    assert list(tmp_path.iterdir()) == []


def test_the_command_answers_and_stops_at_a_limit():
    command = ("sweep", "gpt2", "--set", "L=1:1000000", "--set", "d=12:12000:12", "--json")
    found = json.loads(run(*command, "--limit", "1000").out)
    assert (found["schema"], found["looked"]) == ("symledger.sweep/1", "1000")


@pytest.mark.parametrize(("arguments", "said"), [
    (("--set", "d=8192:1024:128"), "reversed"), (("--set", "d=1024::128"), "no range"),
    (("--set", "h=8,8"), "names 8 twice"), (("--set", "d=64:"), "no range"),
    ((), "nothing is swept"),
    (("--set", "L=1:1000000", "--set", "T=1:1000", "--set", "B=1:1000"), "1,000,000,000,000 conf"),
    (("--set", "L=1:3", "--where", "params"), "no comparison"),
    (("--set", "L=1:3", "--where", "1 <= L <= 3"), "no comparison"),
    (("--set", "L=1:3", "--where", "__import__('os') < 3"), "BadInput"),
        (("--set", "L=1:3", "--where", "memory.training <= 80"), "no unit"),
    (("--set", "L=1:3", "--where", "memory.training <= params"), "different units"),
    (("--set", "L=1:3", "--where", "Q <= 3"), "not a symbol"),
    (("--set", "L=1:3", "--minimize", "flops"), "no quantity"),
    (("--set", "L=1:3", "--minimize", "intensity.forward"), "ratio"),
    (("--set", "tied=true,false"), "choice|no size|not a size"),
    (("--set", "Q=1:3"), "neither a symbol"), (("--set", "L=0:3"), "out of range"),
    (("--set", "L=1:3", "--to", "/nowhere/at/all.csv"), "cannot be written"),
    (("--set", "d=13,14"), "divisible by"), (("--set", "L=1:3", "--limit", "many"), "no amount"),
    (("--set", "L=1:9", "--where", "memory.peak.train <= 1TB"),
     "sweep L where L >= 4, and the rest one by one"),
])  # fmt: skip
def test_bad_sweeps_are_refused(arguments, said):
    assert_refuses("sweep", "gpt2", *arguments, said=said)


def test_an_unknown_quantity_is_one_as_everywhere():
    arguments = ("gpt2", "--set", "L=1:3", "--where", "params.foo <= 3")
    assert_refuses("sweep", *arguments, code=3, said="not a quantity")


@pytest.mark.parametrize("operator", ["<=", ">", "==", "!="])
def test_the_largest_of_several_formulas_is_compared(operator, monkeypatch):
    """As a peak is: here of the parameters and of 40 for each layer and unit of width."""
    def totals(formula):
        d, depth = (Monomial(((size, 1),)) for size in (alphabet.d, alphabet.L))
        return formula.general, {times(d, depth): 40}

    monkeypatch.setattr("symledger.inverse.form.totals", totals)
    axes, _ = split({"d": "2:40:2", "L": "1:9", "h": "1,2"})
    account = derive("gpt", {"T": 8, "T_max": 8, "V": 30, "B": 1})
    plan = Plan(account, axes, (f"params {operator} 1440",), ())
    found = {row for block in found_in(plan, None) for row in
             zip(*(column.tolist() for column in block.sizes), strict=True)}
    meant = {"<=": lambda n: n <= 1440, ">": lambda n: n > 1440, "==": lambda n: n == 1440,
             "!=": lambda n: n != 1440}[operator]
    wanted = set()
    for d, depth, h in product(*(axis.values for axis in axes)):
        there = account.subs({"d": d, "L": depth, "h": h}) if d % h == 0 else None
        if there and meant(max(there.params.value, 40 * d * depth)):
            wanted.add((d, depth, h))
    assert found == wanted


def test_what_is_no_file_is_not_replaced_by_one(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert_refuses("sweep", "gpt2", "--set", "L=1:3", "--to", str(pipe), said="cannot be written")
    assert pipe.is_fifo()
