"""The lists of autocast on CUDA, run on CPU: what PyTorch registers for the one stands for both.

The operations and their kind are read off PyTorch's dispatcher: what has a kernel for AutocastCUDA
and none for AutocastCPU, and multiplies nothing, is computed in fp32 (or, a few, in the widest type
of what it is given); what has one for AutocastCPU alone is run as it is. Everything else, products
and the cache of weights too, is PyTorch's own on CPU.
"""

import warnings
from contextlib import contextmanager

import torch

KEY = "AutocastCPU"
LOWER = ("_conv", "_scaled", "_thnn", "add", "baddbmm", "bmm", "chain_matmul", "conv", "cudnn",
         "einsum", "gru_cell", "linalg_multi_dot", "linalg_vecdot", "linear", "lstm_cell", "matmul",
         "mm", "mv", "prelu", "rnn", "scaled_dot")  # fmt: skip
WIDEST = ("addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "grid_sampler", "index_put",
          "tensordot", "scatter_add", "vdot", "binary_cross_entropy")  # fmt: skip
"""Names by which operations begin that PyTorch's documentation has on other lists."""
SAME = ("cat", "stack", "cross_entropy_loss")
"""What has a kernel on CPU that does what there is without one: the widest type, or its parts."""


def names(key):
    found = (n.removeprefix("aten::") for n in torch._C._dispatch_get_all_op_names()
             if torch._C._dispatch_has_kernel_for_dispatch_key(n, key))  # fmt: skip
    return set(found)


def full():
    """What CUDA alone computes in fp32."""
    found = sorted(names("AutocastCUDA") - names(KEY))
    return [n for n in found if not n.startswith((*LOWER, *(w for w in WIDEST)))]


def as_it_is():
    """What CPU alone has on a list."""
    cuda = {n.partition(".")[0] for n in names("AutocastCUDA")}
    return [n for n in sorted(names(KEY)) if n.partition(".")[0] not in {*cuda, *SAME}
            and not n.startswith(LOWER)]  # fmt: skip


def wide(x):
    is_float = isinstance(x, torch.Tensor) and x.is_floating_point()
    return x.float() if is_float and x.dtype != torch.double else x


def kernel(name, up):
    base, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, base), overload or "default")

    def run(*args, **named):
        apart = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)
        with torch._C._ExcludeDispatchKeyGuard(apart):
            if up:
                args, named = [wide(x) for x in args], {n: wide(x) for n, x in named.items()}
            return op(*args, **named)

    return run


@contextmanager
def cuda_autocast():
    """Run what is inside under autocast in bf16, by the lists of CUDA."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a kernel takes the place of another
        library = torch.library.Library("aten", "IMPL")
        for name in full():
            library.impl(name, kernel(name, up=True), KEY)
        for name in as_it_is():
            library.impl(name, kernel(name, up=False), KEY)
        try:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                yield
        finally:
            library._destroy()


def cpu_autocast():
    return torch.autocast("cpu", dtype=torch.bfloat16)
