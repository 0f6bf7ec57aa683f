"""A target in PyTorch: the module, and how it differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.parts import Options, Sizes

Names = Mapping[str, tuple[str, ...]]

SEVERAL = {"B": "2*B"}
"""Several sequences at every point: that of a single one is the same, whichever comes first."""


@dataclass(frozen=True)
class Case:
    """A target in PyTorch.

    ``build`` makes the module; ``names`` says which of our weights stand behind a parameter whose
    name differs; ``uses`` counts artefacts, by the options and whether inputs ask for a gradient
    (``input_gradient``); ``equal`` are sizes that it cannot tell apart, or not
    from a multiple; ``given`` are the choices that it is about.
    """

    said: str
    build: Callable[[Sizes, Options], nn.Module]
    names: Callable[[Sizes, Options], Names] = lambda s, o: {}
    uses: Callable[[Options], Uses] = lambda o: {}
    equal: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

