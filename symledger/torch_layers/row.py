"""A row of the table of layers: PyTorch's signature, and what each argument does here.

A row is the name, the signature as PyTorch has it (a test compares the two), the entry of the
catalogue that the layer is, an example, the use of each argument, and what the layer sets in any
case. An argument without a use must have its default: that is how what would change a count is
refused by name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType

from symledger.arguments.specs import Free, Only, Settings, Use
from symledger.torch_layers.limits import Limit

Arguments = Mapping[str, object]
Rule = Callable[[Arguments], Settings]
"""What several arguments do together: it refuses them, or says what they set."""

REQUIRED = object()
"""Stands where an argument has no default."""


@dataclass(frozen=True)
class Layer:
    """One layer of torch.nn.

    ``rules`` are about several arguments; ``chosen`` is another entry that these values choose;
    ``usual`` sizes hold until others are set; ``limits`` are about those of what enters; ``reads``
    says what symbols mean of it, where that cannot be seen. ``entered`` writes sizes of the entry
    in those of what enters, where an axis of it is not one of them: C/u**2 channels of the result.
    ``decides`` says what sizes of what enters choose: whether tiles are equal.
    """

    name: str
    signature: str
    entry: str
    example: str
    uses: Mapping[str, Use] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    chosen: Callable[[Arguments], str] = lambda values: ""
    usual: Mapping[str, int] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    reads: Callable[[Arguments], str] = lambda values: ""
    entered: Callable[[Arguments], Settings] = lambda values: {}
    decides: Callable[[Settings], Settings] = lambda settings: {}

    @cached_property
    def arguments(self) -> dict[str, object]:
        """The arguments in PyTorch's order, with their defaults."""
        read = ast.parse(f"lambda {self.signature}: 0", mode="eval").body
        assert isinstance(read, ast.Lambda)
        names = [a.arg for a in read.args.args]
        stated = [ast.literal_eval(d) for d in read.args.defaults]
        by_place = zip(names, [REQUIRED] * (len(names) - len(stated)) + stated, strict=True)
        by_name = zip((a.arg for a in read.args.kwonlyargs), read.args.kw_defaults, strict=True)
        return {**dict(by_place), **{n: ast.literal_eval(d) for n, d in by_name if d}}

    @property
    def places(self) -> int:
        """How many arguments may be given by place; those after a ``*`` go by name only."""
        read = ast.parse(f"lambda {self.signature}: 0", mode="eval").body
        assert isinstance(read, ast.Lambda)
        return len(read.args.args)

    @property
    def takes_anything(self) -> bool:
        """Whether whatever arguments are given are taken, and have no effect."""
        return self.signature == "*args, **kwargs"

    def use(self, argument: str) -> Use:
        """What an argument does; one without a use must have its default."""
        return self.uses.get(argument) or EVERYWHERE.get(argument) or (
            Only((self.arguments[argument],), WHY.get(argument, ""))
        )

    def __str__(self) -> str:
        return f"{self.name}({self.signature})"


WHY = {
    "return_indices": "places of the largest elements are no result here",
    "max_norm": "rows that are longer would be scaled in place",
    "scale_grad_by_freq": "gradients would be divided by how often a token occurs",
    "sparse": "a sparse gradient has the rows of tokens that occur alone",
    "weight": "each class would have a weight",
    "pos_weight": "each class would have a weight",
    "full": "a term more would be computed",
}
"""Why arguments without a use have to have their defaults."""
FACTORY = "device=None, dtype=None"
EVERYWHERE: Mapping[str, Use] = {"device": Free((str, NoneType))}
INPLACE: Mapping[str, Use] = {"inplace": Free((bool,))}
EPS: Mapping[str, Use] = {"eps": Free((float,))}
MAYBE_NONE = (int, NoneType)
