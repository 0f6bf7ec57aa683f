"""What depends on PyTorch's version: names that it does not promise, and what its counter misses.

Everything else in this room uses what PyTorch documents. When a version renames something, this
file is where it is mended; ``tests/tracing/test_torch_version.py`` finds it used anywhere else.
Rules in ``traces`` know operations by their names in ATen, as a saved trace has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import prod
from typing import Any

import torch
from torch.utils import _python_dispatch, checkpoint
from torch.utils.flop_counter import conv_flop_count

PROVEN = ("2.13.0",)
"""The versions with which all tests of this room were run."""

aten = torch.ops.aten
DispatchMode: Any = _python_dispatch.TorchDispatchMode
"""The hook under which operators of ATen run: documented, in a module that is private."""

READS = "aten._local_scalar_dense"
"""What ``.item()`` and ``if`` come down to."""
COUNTING = ("aten.nonzero", "aten.masked_select", "aten._unique2", "aten.unique_consecutive")
"""Operators of which the length of what comes out depends on the elements of what goes in."""
RESHAPED = ("aten.view", "aten._unsafe_view", "aten._reshape_alias", "aten.unsqueeze",
            "aten.squeeze")  # fmt: skip
"""Views that have the same elements in the same order."""
SAME_NUMBERS = (
    "aten.view", "aten._unsafe_view", "aten.reshape", "aten.slice", "aten.select", "aten.clone",
    "aten.transpose", "aten.t", "aten.permute", "aten.expand", "aten.unsqueeze", "aten.squeeze",
    "aten.detach", "aten.alias", "aten._to_copy", "aten.split", "aten.contiguous",
)  # fmt: skip
"""Operators whose results hold the numbers that they are given."""
UNREAD = {
    **dict.fromkeys((
        "aten.max_pool2d_with_indices", "aten.max_pool3d_with_indices", "aten.avg_pool2d",
        "aten.avg_pool3d", "aten._adaptive_avg_pool2d", "aten._adaptive_avg_pool3d",
        "aten.adaptive_max_pool2d", "aten.adaptive_max_pool3d",
        "aten.reflection_pad1d", "aten.reflection_pad2d", "aten.reflection_pad3d",
        "aten.replication_pad1d", "aten.replication_pad2d", "aten.replication_pad3d",
        "aten.gather", "aten.nll_loss_forward",
    ), "self"),
    "aten.index_add": "source", "aten.index_copy": "source",
}  # fmt: skip
"""Operators that keep something that they are given, and read nothing but its shape going back:
what it is."""
OF_PROCESSORS = {"aten.log_sigmoid_forward": 1}
"""Operators, with which of their results a kernel of a GPU leaves empty."""
BAGS = aten._embedding_bag.default
"""Bags of rows: (rows, places, where bags begin, …); its second and third results are tables."""
ADDING = (aten.add.Tensor, aten.add_.Tensor)
TANH, STACK, DRAWING = aten.tanh.default, aten.stack.default, aten.bernoulli_.float
"""What a recurrent network that is run step by step does inside."""
INNER = ("linear", "scaled_dot_product_attention", "dropout")
"""Functions that other functions of PyTorch call by their names in ``torch.nn.functional``."""

FLASH = aten._scaled_dot_product_flash_attention
"""Attention without a mask, fused: (q, k, v, dropout, causal, *, scale), the result first."""
EFFICIENT = aten._scaled_dot_product_efficient_attention
"""Attention with a mask that is added, fused: (q, k, v, mask, keeps its sums, dropout, causal)."""

FunctionBase: Any = torch.autograd.function._SingleLevelFunction
"""What every ``autograd.Function`` inherits ``apply`` from."""
CheckpointFunction = checkpoint.CheckpointFunction
"""The ``autograd.Function`` by which ``torch.utils.checkpoint`` runs a region, if reentrant."""
CHECKPOINTED = "_checkpoint_without_reentrant_generator"
"""The generator that stands around a region otherwise: (function, preserve, contexts, check, debug,
early stop, *args, **kwargs); it yields where the function is to run."""
EARLY_STOP = "_enable_checkpoint_early_stop"
"""What is set for all of them, and goes before what each is told."""


@contextmanager
def without_validation() -> Iterator[None]:
    """Let distributions not look at what they are given, which reads numbers out of tensors."""
    kind: Any = torch.distributions.Distribution
    before = kind._validate_args
    kind.set_default_validate_args(False)
    try:
        yield
    finally:
        kind.set_default_validate_args(before)


def without_modes() -> AbstractContextManager[Any]:
    """Switch all hooks off."""
    found: AbstractContextManager[Any] = _python_dispatch._disable_current_modes()
    return found


def schema_of(func: Callable[..., Any]) -> Any:
    """The schema of an operator: its name, arguments, and which of them it writes into."""
    return func._schema  # type: ignore[attr-defined]


def storage_id(x: torch.Tensor) -> int:
    """What tells the storage of a tensor from others; on the meta device all addresses are 0."""
    return int(x.untyped_storage()._cdata)


def number_of_last_node() -> int:
    """The number of the node of the backward pass that was made last, in the order of making."""
    return int(torch._C._autograd._get_sequence_nr()) - 1


def number_of_this_node() -> int | None:
    """The number of the node that runs in the backward pass now; None where none does."""
    node = torch._C._current_autograd_node()
    return None if node is None else int(node._sequence_nr())


def _vector(a: Any, b: Any, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """A product of which one side is a vector."""
    return 2 * int(torch.Size(a).numel())


def _with_addend(c: Any, a: Any, b: Any, *args: Any, **kwargs: Any) -> int:
    return _vector(a, b)


def _convolved_back(
    grad: Any, x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: Any,
    output_padding: Any, groups: int, mask: Any, out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """The gradients of a convolution: each takes as much as the convolution, group by group."""
    forward = int(conv_flop_count(list(x), list(w), list(grad), transposed))
    return (bool(mask[0]) + bool(mask[1])) * forward


def _of_three(
    a: Any, b: Any, c: Any, without_a: Any, without_b: Any, without_c: Any, summed: Any,
    unrolled: int = 1, out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """A product of three tensors: of two, then with the third; those that sum nothing are none."""
    lengths: dict[int, int] = {}
    for shape, missing in ((a, without_a), (b, without_b), (c, without_c)):
        axes = (i for i in range(len(shape) + len(missing)) if i not in missing)
        lengths |= dict(zip(axes, map(int, shape), strict=True))
    first = [i for i in summed if i in without_c and i != unrolled]
    then = [i for i in summed if i not in without_c and i != unrolled]
    of_two = prod(n for i, n in lengths.items() if i not in without_a or i not in without_b)
    with_third = prod(n for i, n in lengths.items() if i not in first)
    return 2 * (bool(first) * of_two + bool(then) * with_third)


UNCOUNTED: dict[Any, Any] = {
    aten.mv: _vector, aten.dot: _vector, aten.vdot: _vector, aten.addmv: _with_addend,
    aten.convolution_backward: _convolved_back, aten._trilinear: _of_three,
}
"""What ``FlopCounterMode`` does not count, or otherwise than it is computed: products with a
vector or of three tensors, and the gradient of a kernel in groups, which it counts without them."""
