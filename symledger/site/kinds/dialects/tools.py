"""Counting tools: what they print for one small decoder."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from symledger.site.kinds.dialects.papers import formula
from symledger.site.kinds.model.numbers import signed


@dataclass(frozen=True)
class Tool:
    """A counting tool: what it prints for one small decoder, and what it counts."""

    name: str
    url: str
    version: str
    unit: str
    explicit: int
    fused: int
    attention: str
    rest: str
    backward: str
    derived: int
    params: int | None = None
    all_params: int = 0
    more: str = ""
    fused_more: str = ""

    @property
    def explicit_off(self) -> str:
        """How much more it prints with attention written out."""
        return signed(self.explicit - self.derived)

    @property
    def fused_off(self) -> str:
        """How much more it prints with fused attention."""
        return signed(self.fused - self.derived)

    @property
    def reason(self) -> Markup | None:
        """The first of these as a formula, where it is known and not nothing."""
        return formula(self.more)

    @property
    def fused_reason(self) -> Markup | None:
        """The second of these as a formula."""
        return formula(self.fused_more)

    @property
    def params_off(self) -> str:
        """How many parameters more it prints."""
        return "–" if self.params is None else signed(self.params - self.all_params)
