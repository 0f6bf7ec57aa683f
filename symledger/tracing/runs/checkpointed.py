"""``torch.utils.checkpoint``: which operations are run again in the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils import checkpoint

from symledger.tracing.runs.recorder import Recorder, tensors
from symledger.tracing.runs.torch_version import CHECKPOINTED, EARLY_STOP, CheckpointFunction


@contextmanager
def blocks(recorder: Recorder) -> Iterator[None]:
    """Note where a function is checkpointed, by both of PyTorch's ways.

    The reentrant one runs it without gradients, which is no wish of the module's to cut them, and
    all of it again; the other one, no further than is needed, unless that is switched off.
    """
    original = getattr(checkpoint, CHECKPOINTED)

    def around(
        function: Callable[..., Any], preserve: bool, contexts: Any, check: str, debug: bool,
        early: bool, *args: Any, **kwargs: Any,
    ) -> Iterator[None]:  # fmt: skip
        given = (function, preserve, contexts, check, debug, early)
        if not torch.is_grad_enabled():
            yield from original(*given, *args, **kwargs)
            return
        stops = getattr(checkpoint, EARLY_STOP)
        with recorder.block(early if stops is None else stops, tensors([args, kwargs])):
            yield from original(*given, *args, **kwargs)

    def apply(cls: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        if not torch.is_grad_enabled():
            return super(CheckpointFunction, cls).apply(function, preserve, *args)
        with recorder.block(False, tensors(args)):
            result = super(CheckpointFunction, cls).apply(function, preserve, *args)
        for x in tensors(result):
            if x.is_floating_point() and not x.requires_grad:  # nothing that enters asks for one
                recorder.step("aten.detach", {"self": x}, x)
        return result

    setattr(checkpoint, CHECKPOINTED, around)
    CheckpointFunction.apply = classmethod(apply)
    try:
        yield
    finally:
        setattr(checkpoint, CHECKPOINTED, original)
        del CheckpointFunction.apply
