"""Closed-form parameter, memory and FLOP formulas of neural networks, derived and checked.

What stands here and in ``symledger.components`` is public; every other module may move.

>>> from symledger import derive
>>> derive("mini_gpt").params
<mini_gpt.params: 12Ld² + 2Ld + Vd + d = 131,392 parameters>
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symledger.version import VERSION

if TYPE_CHECKING:
    from symledger.accounts.account import Account as Account
    from symledger.accounts.account import derive as derive
    from symledger.inverse.public import fit as fit
    from symledger.inverse.public import solve as solve
    from symledger.inverse.public import sweep as sweep
    from symledger.ir.tensor import Tensor as Tensor
    from symledger.ledger.formula import Formula as Formula
    from symledger.notation.component import Component as Component
    from symledger.notation.component import Steps as Steps
    from symledger.notation.component import steps as steps
    from symledger.notation.verbs import apply as apply
    from symledger.notation.verbs import argmax as argmax
    from symledger.notation.verbs import copied as copied
    from symledger.notation.verbs import drawn as drawn
    from symledger.notation.verbs import einsum as einsum
    from symledger.notation.verbs import expand as expand
    from symledger.notation.verbs import gather as gather
    from symledger.notation.verbs import indices as indices
    from symledger.notation.verbs import join as join
    from symledger.notation.verbs import maximum as maximum
    from symledger.notation.verbs import mean as mean
    from symledger.notation.verbs import narrow as narrow
    from symledger.notation.verbs import noise as noise
    from symledger.notation.verbs import over_rows as over_rows
    from symledger.notation.verbs import pad as pad
    from symledger.notation.verbs import param as param
    from symledger.notation.verbs import reduce as reduce
    from symledger.notation.verbs import remembered as remembered
    from symledger.notation.verbs import repeat as repeat
    from symledger.notation.verbs import scan as scan
    from symledger.notation.verbs import scatter as scatter
    from symledger.notation.verbs import state as state
    from symledger.notation.verbs import statistic as statistic
    from symledger.notation.verbs import table as table
    from symledger.notation.verbs import take as take
    from symledger.notation.verbs import total as total
    from symledger.notation.verbs import view as view
    from symledger.sizes import Size as Size
    from symledger.tracing.public import trace as trace

_NAMES = {
    "accounts.account": ("Account", "derive"),
    "inverse.public": ("fit", "solve", "sweep"),
    "ir.tensor": ("Tensor",),
    "ledger.formula": ("Formula",),
    "notation.component": ("Component", "Steps", "steps"),
    "notation.verbs": (
        "param", "table", "indices", "noise", "drawn", "remembered", "einsum", "view", "total",
        "reduce", "over_rows", "mean", "expand", "maximum", "argmax", "narrow", "pad", "join",
        "gather", "take", "scatter", "repeat", "scan", "apply", "copied", "statistic", "state",
    ),
    "sizes": ("Size",),
    "tracing.public": ("trace",),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
__all__ = [
    "Account", "Component", "Formula", "Size", "Steps", "Tensor", "apply", "argmax", "copied",
    "derive", "drawn", "einsum", "expand", "fit", "gather", "indices", "join", "maximum", "mean",
    "narrow", "noise", "over_rows", "pad", "param", "reduce", "remembered", "repeat", "scan",
    "scatter", "solve", "state", "statistic", "steps", "sweep", "table", "take", "total", "trace",
    "view",
]  # fmt: skip
__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that ``--help`` needs no SymPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'symledger' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"symledger.{_HOMES[name]}"), name)
