"""The JSON that is promised of an account: keys that stay, and every number as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from symledger import algebra
from symledger.algebra import substitute
from symledger.ledger.formula import Formula
from symledger.ledger.lines import Line
from symledger.readings.equations.sheet import LATEX
from symledger.sizes import meaning

if TYPE_CHECKING:
    from symledger.accounts.account import Account

SCHEMA = "symledger.derive/1"


def account_json(account: Account, quantities: Sequence[str]) -> dict[str, Any]:
    """Return the JSON object of an account, with the formulas of these quantities."""
    target, assumed = account.target, account.assumed
    bindings = sorted(assumed.bindings.items(), key=lambda item: item[0].name)
    return {
        "schema": SCHEMA,
        "target": target.name,
        "owner": target.owner,
        "title": target.title,
        **target.read_from(),
        "symbols": {
            s.name: {"meaning": meaning(s).meaning, "latex": meaning(s).latex, "unit": "1"}
            for s in sorted(account.symbols.values(), key=lambda s: s.name)
        },
        "options": {
            k: str(v).lower() if isinstance(v, bool) else v for k, v in target.options.items()
        },
        "bindings": {s.name: str(n) for s, n in bindings},
        "assumptions": [f"{s} = {algebra.canonical(p)}" for s, p in assumed.equations.items()],
        "definitions": {s.name: str(e) for s, e in account.program.definitions.items()},
        "dropped": list(assumed.dropped),
        "conventions": account.conventions.to_dict(),
        "formulas": {name: _formula(account, name) for name in quantities},
        "equations": _equations(account),
        "corollaries": {
            name: {"assumptions": list(case.equations),
                   **{q: algebra.canonical(p) for q, p in case.forms.items()}}
            for name, case in account.corollaries.items()
        },
        "identities": [
            {"quantity": i.quantity, "this": str(here), "same_as": str(there)}
            for i, here, there in account.identities
        ],
        "tree": tree_json(account, account[quantities[0]]),
    }  # fmt: skip


def _equations(account: Account) -> dict[str, list[dict[str, Any]]]:
    written = zip(account.equations(), account.equations(LATEX), strict=True)
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


def _formula(account: Account, name: str) -> dict[str, Any]:
    formula = account[name]
    shown = {"id": formula.id, "tag": account.tag(name), **formula.to_dict()}
    variants = account.causal(name)
    if variants:
        shown["causal"] = {
            kind: {
                "expr": algebra.canonical(f.general),
                "corollary": algebra.canonical(f.corollary_terms),
                "value": None if f.value is None else str(f.value),
            }
            for kind, f in variants.items()
        }
    shown["evidence"] = [e.to_dict() for e in account.evidence.get(name, ())]
    return shown


def tree_json(account: Account, formula: Formula) -> dict[str, Any]:
    """Return a formula's tree of lines, every line of the same shape."""
    equations, at = account.assumed.equations, account.assumed.bindings
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

    return node(formula.line, account.target.owner, account.target.name)
