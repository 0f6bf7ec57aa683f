"""The JSON that is promised of an account: keys that stay, and every number as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sympy import Symbol

from symledger import algebra
from symledger.accounts.recomputation import recomputation
from symledger.algebra import substitute
from symledger.derivations.derivation import Derivation
from symledger.evidence.records import Record
from symledger.ledger.formula import Formula
from symledger.ledger.lines import Line
from symledger.ledger.quantities import TOUCHED
from symledger.ledger.touched import E_t
from symledger.readings.equations.sheet import LATEX
from symledger.sizes import meaning

SCHEMA = "symledger.derive/1"


def _symbols(derivation: Derivation, quantities: Sequence[str]) -> set[Symbol]:
    """The symbols of a derivation, and what stands for a number that follows from them."""
    touched = {E_t} if not TOUCHED.keys().isdisjoint(quantities) else set()
    return {*derivation.symbols.values(), *touched}


Tag = Callable[[str], str | None]
"""Which tag a quantity has."""
Evidence = Callable[[str], Sequence[Record]]
"""What was recorded about each quantity."""


def account_json(
    derivation: Derivation, quantities: Sequence[str], tag: Tag, evidence: Evidence
) -> dict[str, Any]:
    """Return the JSON object of an account, with the formulas of these quantities."""
    target, assumed = derivation.target, derivation.assumed
    bindings = sorted(assumed.bindings.items(), key=lambda item: item[0].name)
    return {
        "schema": SCHEMA,
        "target": target.name,
        "owner": target.owner,
        "title": target.title,
        **target.read_from(),
        "symbols": {
            s.name: {"meaning": meaning(s).meaning, "latex": meaning(s).latex, "unit": "1"}
            for s in sorted(_symbols(derivation, quantities), key=lambda s: s.name)
        },
        "options": {
            k: str(v).lower() if isinstance(v, bool) else v for k, v in target.options.items()
        },
        "bindings": {s.name: str(n) for s, n in bindings},
        "assumptions": [f"{s} = {algebra.canonical(p)}" for s, p in assumed.equations.items()],
        "definitions": {s.name: str(e) for s, e in derivation.definitions.items()},
        "dropped": list(derivation.dropped),
        "conventions": derivation.counted,
        **({"recomputation": plan.to_dict()} if (plan := recomputation(derivation)) else {}),
        **derivation.target.extrapolated(derivation.assumed.bindings),
        "formulas": {
            name: {
                **_formula(derivation, name, tag(name)),
                "evidence": [e.to_dict() for e in evidence(name)],
            }
            for name in quantities
        },
        **({"not_known": derivation.not_known} if derivation.not_known else {}),
        "equations": _equations(derivation),
        "corollaries": {
            name: {"assumptions": list(case.equations),
                   **{q: algebra.canonical(p) for q, p in case.forms.items()}}
            for name, case in derivation.corollaries.items()
        },
        "identities": [
            {"quantity": i.quantity, "this": str(here), "same_as": str(there)}
            for i, here, there in derivation.identities
        ],
        "tree": tree_json(derivation, derivation[quantities[0]]),
    }  # fmt: skip


def _equations(derivation: Derivation) -> dict[str, list[dict[str, Any]]]:
    written = zip(derivation.equations(), derivation.equations(LATEX), strict=True)
    return {
        way: [
            {
                "name": t.name, "text": str(t), "latex": str(x),
                "shape": [str(n) for n in t.shape],
            }
            for t, x in zip(texts, formulas, strict=True)
        ]
        for way, (texts, formulas) in zip(("forward", "backward"), written, strict=True)
    }


def _formula(derivation: Derivation, name: str, tag: str | None) -> dict[str, Any]:
    formula = derivation[name]
    shown = {"id": formula.id, "tag": tag, **formula.to_dict()}
    variants = derivation.causal(name)
    if variants:
        shown["causal"] = {
            kind: {
                "expr": algebra.canonical(f.general),
                "corollary": algebra.canonical(f.corollary_terms),
                "value": None if f.value is None else str(f.value),
            }
            for kind, f in variants.items()
        }
    return shown


def tree_json(derivation: Derivation, formula: Formula) -> dict[str, Any]:
    """Return a formula's tree of lines, every line of the same shape."""
    equations, at = derivation.assumed.equations, formula.assumed.bindings
    whole = algebra.value(formula.corollary_terms, at)
    written = cache(str)  # lengths: few, and often met

    def node(line: Line, name: str, label: str) -> dict[str, Any]:
        total = substitute(line.total, equations)
        found = algebra.value(total, at)
        share = found / whole if found is not None and whole else None
        return {
            "label": label,
            "id": name,
            "times": algebra.canonical(algebra.terms(line.times)),
            "expr": algebra.canonical(line.total),
            "corollary": algebra.canonical(total),
            "value": None if found is None else str(found),
            "share": None if share is None else str(share),
            "note": line.note,
            "shape": None if line.shape is None else [written(n) for n in line.shape],
            "parts": [node(part, f"{name}.{part.label}", part.label) for part in line.parts],
        }

    return node(formula.line, derivation.target.owner, derivation.target.name)
