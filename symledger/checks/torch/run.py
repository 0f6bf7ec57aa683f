"""One target run by PyTorch: its parameters, FLOPs, saved tensors and values."""

from __future__ import annotations

import re
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import nn

from symledger.checks.entering import entering
from symledger.checks.torch.counter import Counter
from symledger.checks.torch.modules.embeddings import Head, Positions
from symledger.checks.trial import Array, Trial
from symledger.ir.tensor import Tensor

NORMS = (nn.LayerNorm, nn.BatchNorm2d, nn.BatchNorm3d, nn.GroupNorm, nn.InstanceNorm2d,
         nn.InstanceNorm3d)  # fmt: skip
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d,
                nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)  # fmt: skip
LETTERS = {
    Positions: ("P", ""), nn.Embedding: ("E", ""), nn.EmbeddingBag: ("E", ""), Head: ("W", ""),
    nn.Linear: ("W'", "b"), nn.Bilinear: ("W", "b"), nn.PReLU: ("a", ""), nn.RMSNorm: ("g", ""),
    **dict.fromkeys(NORMS, ("g", "b")), **dict.fromkeys(CONVOLUTIONS, ("F", "b")),
}  # fmt: skip
"""What we call a module's weight and bias; ' marks one that PyTorch stores transposed. Any other
module's weights have the names that they have with us."""

LAYER = re.compile(r"(^|\.)(block|layer|groups|encoder|decoder)\.(\d+)(?=\.)")
"""An application of a repeated body."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread: for arrays as small as these, others only stand in the way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def without_onednn() -> Iterator[None]:
    """Run recurrent layers operation by operation; oneDNN runs them as one, in single precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it speaks of Intel's GPUs
        with torch.backends.mkldnn.flags(enabled=False):
            yield


@dataclass(frozen=True, eq=False)
class Passes:
    """What a forward and a backward pass gave: FLOPs, outputs, gradients of weights and inputs."""

    flops: tuple[int, int]
    results: tuple[Array, ...]
    trained: Mapping[str, Array]
    asking: Mapping[Tensor, Array]


@dataclass(frozen=True, eq=False)
class Run:
    """A trial of ours, and a module that takes the same weights and inputs.

    ``names`` says which of our weights stand behind parameters of other names; with
    ``input_gradient`` the inputs ask for one.
    """

    trial: Trial
    module: nn.Module
    names: Mapping[str, tuple[str, ...]]
    input_gradient: bool = True

    @cached_property
    def paths(self) -> dict[str, Tensor]:
        """Our weights by dotted name."""
        return {body.path(w): w for body in self.trial.program.bodies for w in body.params}

    @cached_property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """For every parameter of the module, the weights of ours that it is made of."""
        return {name: self._ours(name) for name, _ in self.module.named_parameters()}

    def is_idle(self, name: str) -> bool:
        """Whether a parameter of the module is weights on which no result depends."""
        program = self.trial.program
        unused = {program.path(w) for w in program.params if w in program.unused}
        return unused.issuperset(map(_plain, self.parts[name]))

    def _ours(self, name: str) -> tuple[str, ...]:
        if name in self.names:
            return self.names[name]
        path, _, kind = name.rpartition(".")
        owner = self.module.get_submodule(path)
        pairs = (pair for type_, pair in LETTERS.items() if isinstance(owner, type_))
        letters = next(pairs, None)
        own = letters[kind == "bias"] if letters else kind
        return (".".join(filter(None, (path, own))),)

    def joined(self, name: str, arrays: Mapping[Tensor, Array]) -> Array:
        """Return what a parameter is in arrays of ours: the weights, or their gradients."""
        return np.concatenate([self._one(part, arrays) for part in self.parts[name]])

    def _one(self, part: str, arrays: Mapping[Tensor, Array]) -> Array:
        array = arrays[self.paths[_plain(part)]]
        for layer in LAYER.finditer(part):
            array = array[int(layer[3])]
        return array.T if part.endswith("'") else array

    @property
    def misnamed(self) -> list[str]:
        """Differences between the two sets of weights: shapes, and what only one of them has."""
        used = {_plain(part) for parts in self.parts.values() for part in parts}
        lines = [f"{path} is ours alone" for path, w in self.paths.items()
                 if path not in used and self.trial.leaves[w].size]  # fmt: skip
        lines += [f"{path} is PyTorch's alone" for path in used if path not in self.paths]
        if lines:
            return lines
        for name, parameter in self.module.named_parameters():
            shape = self.joined(name, self.trial.leaves).shape
            if shape != tuple(parameter.shape):
                lines.append(f"{name} is {tuple(parameter.shape)}, ours {shape}")
        return lines

    @property
    def leaves(self) -> tuple[Tensor, ...]:
        """What comes from outside."""
        return entering(self.trial.program)

    @property
    def inputs(self) -> list[torch.Tensor]:
        """The trial's leaves; those that are real numbers ask for a gradient, where one is due."""
        arrays = [np.array(self.trial.leaves[x]) for x in self.leaves]
        asked = self.input_gradient
        return [torch.from_numpy(a).requires_grad_(asked and a.dtype.kind == "f") for a in arrays]

    @cached_property
    def passes(self) -> Passes:
        """Both passes in double precision, of our weights, inputs and incoming gradients."""
        module, inputs = self.module.double(), self.inputs
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.copy_(torch.from_numpy(self.joined(name, self.trial.leaves).copy()))
        seeds = [torch.from_numpy(np.array(seed)) for seed in self.trial.seeds.values()]
        with Counter() as counter:
            results = _several(module(*inputs))
            forward = counter.total
            asked = [pair for pair in zip(results, seeds, strict=True) if pair[0].requires_grad]
            torch.autograd.backward(*zip(*asked, strict=True) if asked else ((),))
        trained = {n: _array(p.grad) for n, p in module.named_parameters()
                   if p.requires_grad and not self.is_idle(n)}  # fmt: skip
        asking = {x: _array(t.grad) for x, t in zip(self.leaves, inputs, strict=True)
                  if t.requires_grad}  # fmt: skip
        values = tuple(result.detach().numpy() for result in results)
        return Passes((forward, counter.total - forward), values, trained, asking)

    def flops(self) -> tuple[int, int]:
        """Return what PyTorch's counter counts, forward and backward."""
        return self.passes.flops

    def saved(
        self, around: Callable[[], AbstractContextManager[None]] = nullcontext,
        given: torch.dtype = torch.float32,
    ) -> int:  # fmt: skip
        """Return the bytes of all storages kept for backward, in single precision.

        What was kept for a result that nothing takes is gone with it. ``around`` is what the
        forward pass is run in, autocast say, and ``given`` the type of floats that enter.
        """
        _ = self.passes  # before a cast rounds the module's tables for good
        module = self.module.float()
        inputs = [x.detach().to(given).requires_grad_(x.requires_grad) if x.is_floating_point()
                  else x for x in self.inputs]  # fmt: skip
        own = {t.untyped_storage().data_ptr() for t in (*module.parameters(), *module.buffers())}
        packed: list[weakref.ref[_Packed]] = []

        def pack(t: torch.Tensor) -> _Packed:
            held = _Packed(t.detach())  # a result would hold the node that keeps it
            packed.append(weakref.ref(held))
            return held

        hooks = torch.autograd.graph.saved_tensors_hooks(pack, lambda p: p.tensor)
        with hooks, without_onednn(), around():
            result = module(*inputs)
        alive = [held.tensor.untyped_storage() for ref in packed if (held := ref()) is not None]
        del result
        kept = {storage.data_ptr(): storage.nbytes() for storage in alive}
        return sum(size for place, size in kept.items() if place not in own)

    def apart(self) -> float:
        """Return how far outputs and gradients are apart, to their scale."""
        ours, known = self.trial.gradients, self.passes
        outputs = [self.trial.values[output] for output in self.trial.program.outputs]
        pairs = list(zip(known.results, outputs, strict=True))
        pairs += [(g, self.joined(name, ours)) for name, g in known.trained.items()]
        pairs += [(g, ours.get(x, np.zeros(g.shape))) for x, g in known.asking.items()]
        return max(_apart(a, b) for a, b in pairs)


@dataclass
class _Packed:
    """What is kept in place of a tensor, as long as the node that it is kept for."""

    tensor: torch.Tensor


def _array(t: torch.Tensor | None) -> Array:
    assert t is not None, "a gradient was asked for, and there is none"
    found: Array = t.numpy()
    return found


def _several(result: torch.Tensor | tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def _plain(part: str) -> str:
    """The dotted name of a weight, without its layer and whether it is transposed."""
    return LAYER.sub(r"\1\2", part).removesuffix("'")


def _apart(a: Array, b: Array) -> float:
    return float(np.max(np.abs(a - b), initial=0) / (1 + np.max(np.abs(b), initial=0)))
