"""What ``torch.autocast`` does to each kind of operation: the types of what it takes and gives.

The lists are those of CUDA. On CPU softmax, its logarithm, norms, sums, powers, exponentials,
logarithms and reciprocals are on no list, and follow what they are given.

Source: PyTorch 2.13, *Automatic Mixed Precision*, "Autocast Op Reference": "CUDA Ops that can
autocast to float16" (``LOWER``), "to float32" (``FULL``), and what is listed nowhere, which runs in
the widest type of what it is given (``FOLLOWS``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from symledger.errors import BadInput
from symledger.ir.functions import FUNCTIONS, LOSSES, function, loss
from symledger.ir.naming import snake
from symledger.ir.scalars import Line, Scalar
from symledger.ir.tensor import Region, Scope

Rule = Literal["lower", "full", "follows"]
LOWER: Rule = "lower"
FULL: Rule = "full"
FOLLOWS: Rule = "follows"

FUSED: Mapping[str, Rule] = {
    "flash_attention": LOWER,  # scaled_dot_product_attention
    **dict.fromkeys(("softmax", "log_softmax", "layer_norm", "rms_norm", "group_norm"), FULL),
    **dict.fromkeys(("batch_norm", "max_pool", "adaptive_max_pool", "glu"), FOLLOWS),
}
"""Of fused bodies, by the class that states them or one that it inherits from."""
WHOLE = (
    "cosine_similarity", "cosine_embedding", "margin_ranking", "hinge_embedding", "multi_margin",
    "upsample", "nearest2d",
)  # fmt: skip
"""Components that PyTorch computes in fp32 as a whole, cast before: here they are operations."""
DRAWN = ("randomized_re_lu", "alpha_dropout", "channel_alpha_dropout")
"""Components that draw numbers of which the type is that of what they are given."""
EXACT = ("exp", "log", "rsqrt", "square", "cube", "three_quarters", "softplus", "softplus_scaled")
"""Functions that are on the list of fp32; powers are."""
NATIVE = frozenset((
    "+", "-", "*", "neg", "copy", "<", "<=", ">", ">=", "select", "mod", "floor", "sqrt", "tanh",
    "erf", "sin", "cos",
))  # fmt: skip
"""Elementary operations that are on no list."""
UNSAFE = ("bce",)
"""Losses that PyTorch refuses under autocast: binary_cross_entropy."""


def check_component(scope: Scope | None, narrow: bool) -> None:
    """Refuse what is computed in a component in other types than its operations would be alone.

    Args:
        scope: where an operation is.
        narrow: whether it is given something of 16 bits.

    Raises:
        BadInput: it is in such a component.
    """
    while scope is not None:
        if narrow and scope.kind in WHOLE:
            raise BadInput(f"{scope.name} is computed in fp32 as a whole under autocast, and given "
                           "values of 16 bits: which of it are cast is not derived.")  # fmt: skip
        if scope.kind in DRAWN:
            raise BadInput(f"{scope.name} draws numbers of the type of what it is given, which "
                           "under autocast is not derived.")  # fmt: skip
        scope = scope.parent


def of_function(code: Scalar, where: str) -> Rule:
    """Return the rule of a function of each element.

    Raises:
        BadInput: it is made of several operations of which some are on a list, or not known.
    """
    for name in LOSSES:
        if code == loss(name):
            if name in UNSAFE:
                raise BadInput(f"{where} is a loss of probabilities, which PyTorch refuses to "
                               "compute under autocast: take the one of logits.")  # fmt: skip
            return FULL
    if code.name in EXACT:
        return FULL
    if code.name and code == function_of(code.name):
        return FOLLOWS
    if not code.is_known:
        raise BadInput(f"{where} applies a function of which only the name is known, so neither is "
                       "what it gives under autocast.")  # fmt: skip
    listed = [line for line in code.lines if not _is_native(line)]
    if not listed:
        return FOLLOWS
    if len(code.lines) == 1:
        return FULL
    raise BadInput(
        f"{where} is one function of several operations here, of which {listed[0].op} is computed "
        "in fp32 under autocast and others are not: in which types its implementation computes it "
        "is not derived."
    )


def of_fused(region: Region, where: str, *, narrow: bool) -> Rule:
    """Return the rule of a fused body; ``narrow`` is set where it is given something of 16 bits.

    Raises:
        BadInput: it is none that PyTorch fuses, as far as it is known here.
    """
    owner = getattr(region.pullback, "__self__", None)
    if owner is not None and narrow and getattr(owner, "G", None) == getattr(owner, "C", 0):
        raise BadInput(f"{where} has as many groups as channels: a group norm is computed in fp32 "
                       "under autocast, an instance norm in what it is given.")  # fmt: skip
    for kind in type(owner).__mro__:
        if snake(kind.__name__) in FUSED:
            return FUSED[snake(kind.__name__)]
    raise BadInput(f"{where} is fused, and which kernels of PyTorch compute it is not known here: "
                   "in which types they do under autocast is not derived.")  # fmt: skip


def function_of(name: str) -> Scalar | None:
    """Return the named function of that name, if there is one."""
    return function(name) if name in FUNCTIONS else None


def _is_native(line: Line) -> bool:
    """Whether an elementary operation is on no list; a constant over a tensor is a reciprocal."""
    return line.op in NATIVE or (line.op == "/" and isinstance(line.args[0], int))
