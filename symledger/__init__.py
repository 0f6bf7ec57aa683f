"""Closed-form parameter, memory and FLOP formulas of neural networks, derived and checked.

>>> from symledger import derive
>>> derive("mini_gpt").params
<mini_gpt.params: 12Ld² + 2Ld + Vd + d = 131,392 parameters>
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symledger.account import Account as Account
    from symledger.account import derive as derive
    from symledger.core.component import Component as Component
    from symledger.core.component import Steps as Steps
    from symledger.core.component import steps as steps
    from symledger.core.notation import apply as apply
    from symledger.core.notation import einsum as einsum
    from symledger.core.notation import param as param
    from symledger.core.notation import repeat as repeat
    from symledger.core.notation import view as view
    from symledger.core.tensor import Tensor as Tensor
    from symledger.formulas import Formula as Formula
    from symledger.sizes import Size as Size

_HOMES = {
    "Account": "symledger.account",
    "Component": "symledger.core.component",
    "Formula": "symledger.formulas",
    "Size": "symledger.sizes",
    "Steps": "symledger.core.component",
    "Tensor": "symledger.core.tensor",
    "apply": "symledger.core.notation",
    "derive": "symledger.account",
    "einsum": "symledger.core.notation",
    "param": "symledger.core.notation",
    "repeat": "symledger.core.notation",
    "steps": "symledger.core.component",
    "view": "symledger.core.notation",
}
__all__ = [
    "Account", "Component", "Formula", "Size", "Steps", "Tensor", "apply", "derive", "einsum",
    "param", "repeat", "steps", "view",
]  # fmt: skip
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that ``--help`` needs no SymPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'symledger' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
