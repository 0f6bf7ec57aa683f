"""The least that PyTorch takes of what enters a layer, where the component would take less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Integer, Symbol

from symledger.algebra.parsing import parse_expression
from symledger.errors import BadInput


@dataclass(frozen=True)
class Limit:
    """What sizes have to come to at least, or PyTorch raises, where it is called as ``given``."""

    size: str
    least: str
    why: str
    given: Mapping[str, Any] = field(default_factory=dict)

    def check(
        self, symbols: Mapping[str, Symbol], sizes: Mapping[Symbol, int],
        options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """Refuse what PyTorch raises on; sizes that are not known are not refused.

        Raises:
            BadInput: the sizes come to less.
        """
        if any(options[name] != choice for name, choice in self.given.items()):
            return

        def at(text: str) -> Expr:
            return parse_expression(text, symbols).xreplace(known)

        known = {symbol: Integer(n) for symbol, n in sizes.items()}
        size, least = at(self.size), at(self.least)
        if size.is_number and least.is_number and size < least:
            most = " = ".join(dict.fromkeys((self.least, str(least))))
            raise BadInput(f"{self.size} = {size} is less than {most}: {self.why}.")


def several_values(size: str, of: str, given: Mapping[str, Any] | None = None) -> tuple[Limit, ...]:
    """Return the limit of a norm: one value has no variance."""
    why = f"PyTorch expects more than 1 value for each {of}{' when training' if given else ''}"
    return (Limit(size, "2", why, given or {}),)


def no_less_than_the_kernel(lengths: Mapping[str, str]) -> tuple[Limit, ...]:
    """Return the limits of what slides over the input itself: lengths, and those of the kernel."""
    why = "PyTorch takes no volume that is smaller than the kernel, whatever its padding"
    return tuple(Limit(length, kernel, why) for length, kernel in lengths.items())
