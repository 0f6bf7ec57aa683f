"""How others count: what papers state and tools print, beside what the ledger derives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symledger.accounts.account import Account
from symledger.ledger.conventions import Conventions
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.dialects.papers import KINDS, Paper
from symledger.site.kinds.dialects.tools import Tool
from symledger.site.pages import Page
from symledger.site.text.worded import data

PATH = "dialects.md"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the one page."""
    yield templates.page(PATH, "dialects.md.j2", atlas=atlas, dialects=Dialects(atlas))


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside it: none."""
    del atlas
    return {}


@dataclass(frozen=True)
class Dialects:
    """All papers and tools."""

    atlas: Atlas

    @cached_property
    def data(self) -> dict[str, Any]:
        """What stands in the file."""
        return data("dialects")

    @staticmethod
    def bytes(dtype: str) -> int:
        """The bytes of a value of a type."""
        return Conventions(dtype).value_bytes

    @staticmethod
    def training_bytes(dtype: str, optimizer: str) -> int:
        """The bytes of a trained parameter: weight, gradient and the optimizer's state."""
        conventions = Conventions(dtype, optimizer)
        return 2 * conventions.value_bytes + conventions.state_bytes

    @property
    def model(self) -> str:
        """The family that papers are compared with."""
        return str(self.data["model"])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of work."""
        return tuple(KINDS)

    @cached_property
    def papers(self) -> tuple[Paper, ...]:
        """The papers."""
        examples = tuple(self.data["examples"])
        return tuple(
            Paper(self.atlas, self.model, examples, stated=tuple(p["statements"]),
                  **{k: v for k, v in p.items() if k != "statements"})
            for p in self.data["papers"]
        )  # fmt: skip

    @cached_property
    def measured(self) -> Account:
        """The decoder that tools were run on."""
        about = self.data["measured"]
        settings = {name: str(n) for name, n in about["set"].items()}
        return self.atlas.account(about["target"], **settings)

    @property
    def sizes(self) -> str:
        """Its sizes."""
        return ", ".join(f"{name} = {n}" for name, n in self.data["measured"]["set"].items())

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools."""
        answers = {"FLOP": self.measured["flops.forward"], "MAC": self.measured["macs.forward"]}
        whole = self.measured.params.value
        return tuple(
            Tool(**t, derived=int(answers[t["unit"]].value or 0), all_params=int(whole or 0))
            for t in self.data["tools"]
        )
