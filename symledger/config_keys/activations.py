"""The activations that configurations name: those of the reference implementation and of PyTorch.

A name that is in no table is taken too, and called unknown: parameters and what is multiplied do
not depend on it. What is refused are names of what is no function of each element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symledger.arguments.specs import Settings, Use, written
from symledger.errors import BadInput

REFERENCE: Mapping[str, str] = {
    **{name: name for name in (
        "gelu", "gelu_10", "gelu_fast", "gelu_new", "gelu_python", "hardswish", "laplace",
        "leaky_relu", "linear", "mish", "prelu", "quick_gelu", "relu", "relu2", "relu6", "sigmoid",
        "silu", "sqrtsoftplus", "tanh", "xielu",
    )},
    "gelu_accurate": "gelu_new", "gelu_python_tanh": "gelu_new", "gelu_pytorch_tanh": "gelu_tanh",
    "swish": "silu",
}  # fmt: skip
"""transformers 5.23.0, ``transformers.activations.ACT2FN``: three of them are the same steps."""
PYTORCH: Mapping[str, str] = {
    **{name: name for name in (
        "elu", "hardshrink", "hardsigmoid", "hardtanh", "selu", "softplus", "softshrink",
        "softsign", "tanhshrink",
    )},
    "celu": "elu", "logsigmoid": "log_sigmoid",
}  # fmt: skip
"""torch.nn.functional, PyTorch 2.13, with its defaults, where the others do not name them."""
KNOWN: Mapping[str, str] = {**REFERENCE, **PYTORCH}
ONE_PIECE: Mapping[str, str] = dict.fromkeys(
    ("gelu_new", "gelu_fast", "gelu_accurate", "gelu_python_tanh"), "gelu_tanh"
)
"""A GELU by tanh as one operation, as decoders like GPT-2 are counted (docs/decisions.md)."""
LEARNED = {"prelu": "a slope", "xielu": "two slopes"}
"""Those that have weights."""
NARROWING = ("glu", "geglu", "swiglu", "reglu", "bilinear", "softmax", "log_softmax", "softmin")
"""What is no function of each element: gates, which halve a width, and what looks along a row."""


@dataclass(frozen=True)
class Acting(Use):
    """The name of an activation, for an option.

    ``otherwise`` are names that mean another one in this family. Unless ``learned``, one with
    weights is refused: it is used in several places there, with weights of its own or the same.
    """

    option: str = "activation"
    otherwise: Mapping[str, str] = field(default_factory=dict)
    learned: bool = True

    def settings(self, name: str, value: object) -> Settings:
        """Return what the option is."""
        found = chosen(name, value, self.otherwise)
        if found in LEARNED and not self.learned:
            raise BadInput(
                f"{name} = {written(value)} is not supported here: it has weights of its own "
                f"({LEARNED[found]}), and how often they are there is not derived for this key."
            )
        return {self.option: found}


NO_NAMES: Mapping[str, str] = {}


def chosen(name: str, value: object, otherwise: Mapping[str, str] = NO_NAMES) -> str:
    """Return which activation a name means, ``unknown`` where that is not known.

    Raises:
        BadInput: it is no name, or one of what is no function of each element.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput(
            f"{name} = {written(value)} does not fit: the name of an activation is meant, such as "
            "gelu, relu or silu."
        )
    if value.lower() in NARROWING:
        raise BadInput(
            f"{name} = {written(value)} is not supported: it is no function of each element, and "
            "would change what is multiplied. Write the function inside it, such as gelu or silu."
        )
    return {**KNOWN, **otherwise}.get(value, "unknown")
