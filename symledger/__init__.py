"""Closed-form parameter, memory and FLOP formulas of neural networks, derived and checked.

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
    from symledger.ir.tensor import Tensor as Tensor
    from symledger.ledger.formula import Formula as Formula
    from symledger.notation.component import Component as Component
    from symledger.notation.component import Steps as Steps
    from symledger.notation.component import steps as steps
    from symledger.notation.verbs import apply as apply
    from symledger.notation.verbs import einsum as einsum
    from symledger.notation.verbs import param as param
    from symledger.notation.verbs import repeat as repeat
    from symledger.notation.verbs import view as view
    from symledger.sizes import Size as Size

_HOMES = {
    "Account": "symledger.accounts.account",
    "Component": "symledger.notation.component",
    "Formula": "symledger.ledger.formula",
    "Size": "symledger.sizes",
    "Steps": "symledger.notation.component",
    "Tensor": "symledger.ir.tensor",
    "apply": "symledger.notation.verbs",
    "derive": "symledger.accounts.account",
    "einsum": "symledger.notation.verbs",
    "param": "symledger.notation.verbs",
    "repeat": "symledger.notation.verbs",
    "steps": "symledger.notation.component",
    "view": "symledger.notation.verbs",
}
__all__ = [
    "Account", "Component", "Formula", "Size", "Steps", "Tensor", "apply", "derive", "einsum",
    "param", "repeat", "steps", "view",
]  # fmt: skip
__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that ``--help`` needs no SymPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'symledger' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
