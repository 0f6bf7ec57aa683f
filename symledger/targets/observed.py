"""What was observed of reference implementations: what is in memory when a step of one is run.

A class of transformers was traced, and what PyTorch has in memory written in the symbols of the
definition. It was so of one choice for every option, and under equations between sizes: a class in
which all heads have keys of their own has h_kv = h.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sympy import Expr, Symbol

from symledger import algebra, records
from symledger.algebra import substitute
from symledger.algebra.assumptions import Assumed
from symledger.catalogue.entries import place
from symledger.errors import BadInput, shown
from symledger.sizes import named
from symledger.targets.target import Target
from symledger.traces.alive import Eager, How
from symledger.traces.formulas import Formulas, written
from symledger.traces.reading import eager_of
from symledger.traces.writing import eager_data

FOLDER = records.FOLDER / "alive"
WORDS = re.compile(r"[A-Za-z]\w*")
Ran = How
"""How a module is run: what is asked of a trace, and of what was observed."""


@dataclass(frozen=True)
class Observed:
    """What was observed of a class: with which choices, under which equations, from which sizes on.

    ``equations`` say what sizes of the definition are in it; ``smallest`` how large sizes were;
    ``within`` are pairs of sizes of which the first may not be larger than the second.
    """

    implementation: str
    torch: str
    choices: Mapping[str, str]
    equations: Mapping[str, Expr]
    smallest: Mapping[str, int]
    eager: Eager
    within: tuple[tuple[str, str], ...] = ()

    def misses(self, assumed: Assumed, symbols: Mapping[str, Symbol]) -> str:
        """Say which equation or size does not hold under what is assumed; nothing where all do."""
        for name, e in self.equations.items():
            s = symbols.get(name, named(name))
            given = algebra.subtract(algebra.variable(s), algebra.terms(e))
            apart = substitute(given, assumed.equations)
            if apart and algebra.value(apart, assumed.bindings) != 0:
                return f"{name} = {e}"
        at = {s.name: n for s, n in assumed.bindings.items()}
        for name, n in self.smallest.items():
            if name not in self.eager.least and n > 1 and at.get(name) == 1:
                return f"{name} ≥ 2"
        for name, n in self.eager.least.items():
            if at.get(name, n) < n:
                return f"{name} ≥ {n}"
        for a, b in self.eager.apart:
            if at.get(a, 0) == at.get(b, -1):
                return f"{a} ≠ {b}"
        for a, b in self.within:
            if at.get(a, 0) > at.get(b, at.get(a, 0)):
                return f"{a} ≤ {b}"
        return ""


def file_of(owner: str) -> Path:
    """Return the file of an owner."""
    return place(FOLDER, owner)


@cache
def observed(owner: str) -> tuple[Observed, ...]:
    """Return what was observed of an owner's classes; nothing where none was traced."""
    file = file_of(owner)
    if not file.is_file():
        return ()
    return tuple(map(_row, json.loads(file.read_text(encoding="utf-8"))))


def _row(data: Mapping[str, Any]) -> Observed:
    names = {n: named(n) for n in (*data["smallest"], *data["equations"])}
    formulas = Formulas(names)
    there = data["throughout"]
    moments = [[*place, {**there, **kinds}] for *place, kinds in data["eager"]["moments"]]
    return Observed(
        data["implementation"], data["torch"], data["choices"],
        {n: formulas.read(e) for n, e in data["equations"].items()},
        data["smallest"], eager_of({**data["eager"], "moments": moments}, names, formulas),
        tuple((a, b) for a, b in data.get("within", ())),
    )  # fmt: skip


def to_data(found: Observed) -> dict[str, Any]:
    """Return what was observed as JSON data; what is there at all moments once."""
    eager = eager_data(found.eager)
    rows = [kinds for *_, kinds in eager["moments"]]
    there = {k: e for k, e in rows[0].items() if all(row.get(k) == e for row in rows)}
    for row in rows:
        for kind in there:
            del row[kind]
    return {
        "implementation": found.implementation, "torch": found.torch,
        "choices": dict(found.choices),
        "equations": {n: written(e) for n, e in found.equations.items()},
        "smallest": dict(found.smallest), "throughout": there, "eager": eager,
        **({"within": list(map(list, found.within))} if found.within else {}),
    }  # fmt: skip


def choices_of(target: Target) -> dict[str, str]:
    """Return what is chosen for every option, as text."""
    return {name: str(value).lower() for name, value in sorted(target.options.items())}


def observed_of(
    target: Target, assumed: Assumed, symbols: Mapping[str, Symbol], how: How
) -> Observed:  # fmt: skip
    """Return what was observed where a target's choices are made and its sizes are.

    Raises:
        BadInput: its reference was not traced so.
    """
    known = () if target.origin or target.constructor else observed(target.owner)
    every = [one for one in known if _is_run(one.eager.how, how)]
    if not every:
        said = f" in a pass of inference (memory.peak.{how.serving})" if how.serving else ""
        kind = f" in {how.dtype}" if how.serving and how.dtype != "fp32" else ""
        kind += f" with a cache that is {how.cache}" if how.cache else ""
        raise BadInput(
            f"what is in memory when PyTorch runs {shown(target.name)}{said}{kind} was not "
            "observed: trace a module of it, as in symledger trace my_model.py:GPT "
            "--schedule eager."
        )
    chosen = choices_of(target)
    alike = [one for one in every if one.choices == chosen]
    if not alike:
        other = sorted({
            f"{n} = {v}" for one in every for n, v in one.choices.items() if chosen.get(n) != v
        })  # fmt: skip
        raise BadInput(
            f"what is in memory when PyTorch runs {shown(target.name)} was observed of other "
            f"choices: {', '.join(other)}."
        )
    if any(one.eager.how.input_gradient for one in alike):  # otherwise whole numbers enter
        alike = [one for one in alike if one.eager.how.input_gradient == how.input_gradient]
    missed = [one.misses(assumed, symbols) for one in alike]
    if all(missed):
        there = list(dict.fromkeys(missed))
        at = {s.name: n for s, n in assumed.bindings.items()}
        names = (n for said in there for n in WORDS.findall(said) if n in at)
        here = ", ".join(f"{n} = {at[n]:,}" for n in dict.fromkeys(names))
        raise BadInput(
            f"what is in memory when PyTorch runs {shown(target.name)} was observed only at sizes "
            f"where {', or where '.join(there)}{here and f'; here {here}'}: --set gives others."
        )
    return alike[missed.index("")]


def _is_run(there: How, asked: How) -> bool:
    """Whether a step of training was run, or the pass of inference that is asked for."""
    alike = (there.dtype, there.cache) == (asked.dtype, asked.cache)
    return there.serving == asked.serving and (not asked.serving or alike)
