"""How many elements of a mask are true, where that follows from a routing: told, and balanced.

What sends each token to k of E experts makes masks of which k/E, or 1/E, are true on average, and
nobody knows which without data. How many rows an expert gets is a size of its own then, R: the
module runs with any value of it, and its definition is that average.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from symledger.errors import BadInput
from symledger.tracing.runs.torch_version import SAME_NUMBERS

FIRST_ROWS = 5
"""How many rows are told at first; of a second kind, one more."""
ROWS = re.compile(r"R(_\d+)?")
"""What rows are called."""
COMPARED = {"aten.gt": 0, "aten.ne": 0, "aten.ge": 1, "aten.eq": 1}
"""Comparisons that are true of ones and not of zeros: with which number."""
REDUCED = ("aten.any", "aten.sum", "aten.amax", "aten.max")


@dataclass(frozen=True)
class Choice:
    """Numbers of experts: how many there are, and of how many a token has one each."""

    experts: int
    each: int


@dataclass(frozen=True)
class Share:
    """Of a mask: that ``true`` of so many ``among`` elements are true, and of what choice."""

    true: int
    among: int
    choice: Choice


class Routes:
    """Which tensors say where tokens go, and the rows that were told of them.

    Args:
        names: what rows are called, by the place where they are asked for; more are added.
        at: how many they are.
    """

    def __init__(self, names: dict[str, str], at: Mapping[str, int]) -> None:
        self.names, self.at = names, at
        self.choices: dict[int, Choice] = {}
        self.shares: dict[int, Share] = {}
        self.told: dict[str, tuple[int, int]] = {}
        self.called: dict[int, str] = {}
        self.answers: dict[int, bool] = {}
        self.counts: set[int] = set()

    def note(
        self, name: str, given: Mapping[str, Any], result: Any,
        value: Callable[[torch.Tensor], torch.Tensor | None],
    ) -> None:  # fmt: skip
        """Follow what a routing becomes."""
        several = result if isinstance(result, list | tuple) else (result,)
        x = given.get("self", given.get("tensor"))
        if not isinstance(x, torch.Tensor) or not all(isinstance(y, torch.Tensor) for y in several):
            return
        whole = given.get("dim") in (None, [], ())
        if name in ("aten.any", "aten.sum") and whole and id(x) in self.shares:
            self.counts.add(id(result))  # of each expert there are some
            self.answers |= {id(result): True} if name == "aten.any" else {}
        elif name in ("aten.gt", "aten.ne", "aten.eq") and id(x) in self.counts:
            if given["other"] == 0:
                self.answers[id(result)] = name != "aten.eq"
        elif name in ("aten.topk", "aten.argmax") or (name == "aten.max" and len(several) == 2):
            dim = given.get("dim")
            each = int(given.get("k", 1))
            if x.is_floating_point() and dim is not None and x.dim():
                self.choices[id(several[-1])] = Choice(x.shape[dim], each)
        elif name in (*SAME_NUMBERS, "aten.unbind"):
            for y in several:
                self._same(x, y)
        elif name in ("aten.scatter", "one_hot") or name in COMPARED or name in REDUCED:
            share = self._share(name, x, given, value)
            if share is not None:
                self.shares[id(several[0])] = share

    def _same(self, x: torch.Tensor, y: torch.Tensor) -> None:
        if id(x) in self.choices:
            self.choices[id(y)] = self.choices[id(x)]
        if id(x) in self.shares:
            self.shares[id(y)] = self.shares[id(x)]

    def _share(
        self, name: str, x: torch.Tensor, given: Mapping[str, Any],
        value: Callable[[torch.Tensor], torch.Tensor | None],
    ) -> Share | None:  # fmt: skip
        choice, share = self.choices.get(id(x)), self.shares.get(id(x))
        if name == "aten.scatter":
            index = self.choices.get(id(given["index"]))
            before = value(x)
            if index is None or before is None or bool(before.any()):
                return None
            return Share(given["index"].shape[given["dim"]], x.shape[given["dim"]], index)
        if name == "one_hot":
            fits = choice is not None and given["num_classes"] == choice.experts
            return Share(1, choice.experts, choice) if choice is not None and fits else None
        if name in COMPARED:
            other = given["other"]
            if name == "aten.eq" and choice is not None:
                fixed = not isinstance(other, torch.Tensor) or value(other) is not None
                return Share(1, choice.experts, choice) if fixed else None
            same = not isinstance(other, torch.Tensor) and other == COMPARED[name]
            return share if same else None
        return self._reduced(x, share, given.get("dim"))

    def _reduced(self, x: torch.Tensor, share: Share | None, dim: Any) -> Share | None:
        """Of a mask of each choice of a token, whether one is true: they are all different."""
        dims = dim if isinstance(dim, list | tuple) else [dim]
        if share is None or len(dims) != 1 or dims[0] is None or share.true != 1:
            return None
        each = share.choice.each
        return Share(each, share.among, share.choice) if x.shape[dims[0]] == each else None

    def rows(self, mask: torch.Tensor, where: str) -> int | None:
        """Return how many elements of a mask are told to be true; nothing if nobody can tell.

        Raises:
            BadInput: at one place it is as many here, and as many there.
        """
        share = self.shares.get(id(mask))
        if share is None:
            return None
        name = self.called.get(id(share)) or self.names.setdefault(where, self._new())
        self.called[id(share)] = name  # of the same elements there are as many elsewhere
        told = mask.numel() * share.true, share.among
        if self.told.setdefault(name, told) != told:
            raise BadInput(f"how many rows an expert gets at {where} is not the same every time.")
        return self.at.get(name, FIRST_ROWS + len(self.names))

    def _new(self) -> str:
        return f"R_{len(self.names) + 1}" if self.names else "R"


def place_of(path: str, line: str) -> str:
    """Name a place: in which module of which layer's kind, and where in the user's file."""
    named = ".".join(part for part in path.split(".") if not part.isdecimal())
    return f"{named or 'forward'} ({line})"
