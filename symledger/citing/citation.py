"""A citation: everything that an author has to say about a formula, to be written in some format.

What it says is what the tag's revision is about: the general form, the equations that are assumed
by default with the form under them, which is shown first, and how things are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from sympy import Symbol

from symledger.accounts.account import Account, derive
from symledger.citing.form import Form, form_of, symbols_in
from symledger.citing.lookup import divided, find
from symledger.errors import BadInput, CheckFailed, shown
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import PEAKS, Peak
from symledger.ledger.quantities import ASKED, QUANTITIES
from symledger.sizes import meaning, text_of
from symledger.tags.canonical import canonical_form, fingerprint
from symledger.tags.registry import Revision, Tagged
from symledger.targets.resolve import is_trace
from symledger.version import VERSION

SCHEMA = "symledger.cite/1"
AUTHOR = "The symledger developers"
SITE = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)*/?")
COUNTED = ("flops.*", "macs.*", "intensity.*")
STORED = ("memory.*", "traffic.*", "intensity.*")
TRAINED = ("*.backward*", "*.training", "memory.saved")
CONCERNS = {
    "flop": COUNTED, "flops": COUNTED, "causal": COUNTED, "dtype": STORED,
    "saved": ("memory.saved", "memory.training", "traffic.*", "intensity.*"),
    "optimizer": ("memory.optimizer", "memory.training"),
    "counters": ("memory.optimizer", "memory.training"),
    **dict.fromkeys(("step", "first", "accumulate"), ("memory.peak.*",)),
    "cache": ("memory.kv_cache", "memory.serving", "memory.peak.*"),
    "gradients": ("memory.gradients", "memory.training"),
    "input_gradient": TRAINED, "frozen": (*TRAINED, "memory.gradients", "memory.optimizer"),
}  # fmt: skip
"""Which quantities a convention concerns; one that is not named here is always said."""


@dataclass(frozen=True)
class Citation:
    """A formula of the catalogue with its tag; ``site`` is the address of a site that shows it.

    One of a trace, and one that is asked for by name alone (a peak), have no tag and no page: the
    fingerprint of the canonical form stands for it.
    """

    tagged: Tagged
    account: Account
    site: str = ""

    @property
    def formula(self) -> Formula:
        """The formula, evaluated where a configuration was named."""
        return self.account[self.tagged.quantity]

    @property
    def title(self) -> str:
        """What is counted of what."""
        return f"{self.formula.quantity.meaning} ({self.account.target.title})"

    @property
    def has_tag(self) -> bool:
        """Whether it has a tag, and a page."""
        return self.tagged.tag != self.tagged.hash

    @property
    def number(self) -> str:
        """The tag and the revision; else the fingerprint."""
        if not self.has_tag:
            return f"canonical form {self.tagged.hash}"
        return f"formula {self.tagged.tag}, revision {self.tagged.revision}"

    @property
    def name(self) -> str:
        """The id, with the revision where it has one."""
        return self.tagged.id + (f", revision {self.tagged.revision}" if self.has_tag else "")

    @property
    def asked(self) -> str:
        """What names the formula to ``symledger cite``."""
        own = f"{self.account.target.name}.{self.tagged.quantity}"
        return self.tagged.tag if self.has_tag else own

    @property
    def source(self) -> str:
        """Where it is from: the version, the tag and the revision."""
        return f"symledger {VERSION}, {self.number}"

    @property
    def url(self) -> str | None:
        """The address of the formula's page, None where no site is known."""
        return f"{self.site.rstrip('/')}/{self.tagged.page}" if self.site else None

    @cached_property
    def general(self) -> Form:
        """The form for all sizes."""
        return form_of(self.formula)

    @cached_property
    def corollary(self) -> Form | None:
        """The form under the default assumptions, None where that is no other one."""
        found = form_of(self.formula, assumed=True)
        return None if found == self.general else found

    @property
    def first(self) -> Form:
        """The form that is shown first, as the page of a target does: under the assumptions."""
        return self.corollary or self.general

    @property
    def depths(self) -> tuple[str, ...]:
        """How often what is repeated is, for a peak to hold: ``L >= 4``."""
        peak = self.formula
        return tuple(d.canonical for d in peak.depths) if isinstance(peak, Peak) else ()

    @cached_property
    def symbols(self) -> list[Symbol]:
        """The symbols of the general form and of what it takes for granted."""
        assumed = self.formula.equations
        own = {*self.general.symbols, *assumed}.union(*map(symbols_in, assumed.values()))
        for e in self.definitions.values():
            own |= e.free_symbols
        return sorted(own, key=lambda s: s.name)

    @cached_property
    def definitions(self) -> dict[Symbol, Any]:
        """The sizes of the general form that others decide."""
        own = self.general.symbols
        return {s: e for s, e in self.account.program.definitions.items() if s in own}

    @cached_property
    def bindings(self) -> dict[Symbol, int]:
        """The values at which the formula has its value; empty where it has none."""
        if self.formula.value is None:
            return {}
        own = self.first.symbols
        at = self.formula.assumed.bindings
        return {s: at[s] for s in sorted(own, key=lambda s: s.name)}

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that the formula is about: all at their defaults."""
        return self.account.target.options

    @cached_property
    def conventions(self) -> dict[str, str]:
        """How things are counted, as far as it matters here, in words."""
        name = self.tagged.quantity
        return {
            key: words for key, words in self.account.conventions.to_dict().items()
            if any(fnmatchcase(name, pattern) for pattern in CONCERNS.get(key, ("*",)))
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the promised JSON object; whole numbers travel as strings."""
        formula = self.formula
        value = formula.value
        return {
            "schema": SCHEMA,
            "tag": self.tagged.tag if self.has_tag else None,
            "id": self.tagged.id,
            "target": self.account.target.name,
            "revision": self.tagged.revision,
            "hash": self.tagged.hash,
            "history": [{"revision": n, "version": r.version, "hash": r.hash}
                        for n, r in enumerate(self.tagged.revisions, 1)],
            "author": AUTHOR,
            "version": VERSION,
            "title": self.title,
            "unit": formula.unit,
            "meaning": formula.quantity.meaning,
            "expr": self.general.canonical,
            "latex": self.general.latex,
            "corollary": self.first.canonical,
            "assumptions": list(formula.assumptions),
            **({"holds_where": list(self.depths)} if self.depths else {}),
            "definitions": {s.name: text_of(e) for s, e in self.definitions.items()},
            "symbols": {s.name: {"meaning": meaning(s).meaning, "latex": meaning(s).latex}
                        for s in self.symbols},
            "options": {k: str(v).lower() if isinstance(v, bool) else v
                        for k, v in self.choices.items()},
            "conventions": self.conventions,
            "bindings": {s.name: str(n) for s, n in self.bindings.items()},
            "value": None if value is None else str(value),
            "url": self.url,
        }  # fmt: skip


def cite(text: str, site: str = "") -> Citation:
    """Return the citation of a formula, by its id or its tag.

    Args:
        text: an id, the id with the name of a configuration, or a tag.
        site: the address of a site that shows the formulas, where there is one.

    Raises:
        UnknownTarget: there is no such formula, or no longer.
        BadInput: the address is none, or the target's own choices make another formula.
        CheckFailed: the formula is not what was registered.

    >>> cite("mini_gpt.params").tagged.revision
    1
    """
    if site and not SITE.fullmatch(site):
        raise BadInput(
            f"{shown(site)} is not the address of a site: write one as https://example.org/symledger."
        )
    untagged = of_trace(text) or of_one_asked(text)
    if untagged:
        return untagged
    tagged, target = find(text)
    account = derive(target)
    if account.tag(tagged.quantity) != tagged.tag:
        if target != tagged.owner:
            raise BadInput(
                f"{target} makes other choices than {tagged.id} is about: {tagged.tag} is not its "
                f"formula. `symledger derive {target} --quantity {tagged.quantity}` shows that."
            )
        raise CheckFailed(
            f"{tagged.id} is not what {tagged.tag}, revision {tagged.revision}, was given to: "
            "run symledger record tags, which raises the revision."
        )
    return Citation(tagged, account, site)


def of_trace(text: str) -> Citation | None:
    """Return the citation of a formula of a trace, ``gpt.trace.json.params``, or None.

    Raises:
        BadInput: the trace cannot be read, or no quantity of it is named.
    """
    path, quantity = text.strip(), ""
    for name in sorted(QUANTITIES, key=len):
        if path.endswith(f".json.{name}"):
            path, quantity = path.removesuffix(f".{name}"), name
    if not path.endswith(".json") or not is_trace(path):
        return None
    if not quantity:
        raise BadInput(
            f"{shown(path)} is a trace and not a formula: name one of its quantities, as in "
            f"{shown(path)}.params."
        )
    return _by_fingerprint(derive(path), quantity)


def of_one_asked(text: str) -> Citation | None:
    """Return the citation of what is asked for by name, ``gpt2.memory.peak.train``, or None."""
    target, quantity = divided(text.strip())
    named = quantity in PEAKS or quantity in ASKED
    return _by_fingerprint(derive(target), quantity) if target and named else None


def _by_fingerprint(account: Account, quantity: str) -> Citation:
    found = fingerprint(canonical_form(account, quantity))
    return Citation(Tagged(found, account[quantity].id, (Revision(VERSION, found),)), account)
