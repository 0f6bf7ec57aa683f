"""Fits where: how much of a model's work fits the memory of one device, by its peak."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symledger.accounts.account import Account, derive
from symledger.errors import SymledgerError
from symledger.inverse.solve import most
from symledger.languages.message import Message, message
from symledger.ledger.recipes import recipe
from symledger.printing.numbers import short_bytes
from symledger.site.atlas import Atlas

GIGABYTE = 10**9
BUDGETS = (16, 24, 48, 80, 141)
"""Gigabytes that devices are sold with."""
RANK = "r=16"
USES: Mapping[str, tuple[str, str, str]] = {
    "decode": ("bf16", "memory.peak.decode", ""),
    "prefill": ("bf16", "memory.peak.prefill", ""),
    "adapt": ("mixed", "memory.peak.train", RANK),
    "train": ("mixed", "memory.peak.train", ""),
}
"""What a model is used for: the recipe, which has a sister with fused attention, the peak, and
adapters if these alone are trained."""
FUSED = "-flash"


@dataclass(frozen=True)
class Largest:
    """What fits a budget: so many sequences (``B``), or one of so many tokens (``T``)."""

    size: str
    n: int

    def __str__(self) -> str:
        return f"{self.size} = {self.n:,}" if self.n else "–"


@dataclass(frozen=True)
class Use:
    """A use: the memory that one sequence (or image) needs, and what fits each budget."""

    label: Message
    recipe: str
    one: str
    units: str
    fits: tuple[Largest, ...]
    command: str


def uses(atlas: Atlas, account: Account) -> Iterator[Use]:
    """Yield each use of a model that decodes, where the peak can be derived.

    Adapters stand on the page of a family alone: each definition has to be derived anew for them.
    """
    if not account.target.component.decoding:
        return
    for name, (usual, _, lora) in USES.items():
        if lora and account.target.name != account.target.owner:
            continue
        fuses = account.target.options.get("flash") is False
        try:
            yield _use(atlas, account, name, usual + FUSED if fuses else usual)
        except SymledgerError:
            continue  # its command says why


def _run(atlas: Atlas, account: Account, chosen: str, lora: str) -> Account:
    """Return the account under a recipe, what was read of its definition shared."""
    target, asked = account.target, recipe(chosen)
    key = f"{chosen} {lora} {target.component!r} {target.inputs} {target.lengths}"
    run = atlas.once(key, lambda: derive(target.name, recipe=chosen, lora=lora or None))
    choices = {choice: run.target.options[choice] for choice in asked.choices}
    return run.resized(target.with_options(choices))


def _use(atlas: Atlas, account: Account, name: str, chosen: str) -> Use:
    _, quantity, lora = USES[name]
    run = _run(atlas, account, chosen, lora)
    alone = run.subs({"B": 1})
    budgets = [n * GIGABYTE for n in BUDGETS]
    value = alone[quantity].value
    assert isinstance(value, int)
    batches = most(run, "B", quantity, budgets)
    longest = [0] * len(budgets)
    if "T" in run.symbols and not all(batches):
        short = batches.count(0)  # of the smallest budgets
        longest[:short] = most(alone, "T", quantity, budgets[:short])
    beside = f" --lora {lora}" if lora else ""
    command = (f"symledger solve {account.target.name} --for B --budget {BUDGETS[-1]}GB "
               f"--recipe {chosen}{beside} --quantity {quantity}")  # fmt: skip
    return Use(
        message(f"fits.{name}"), chosen + beside, f"{value:,}", short_bytes(value),
        tuple(Largest("B", b) if b else Largest("T", t)
              for b, t in zip(batches, longest, strict=True)),
        command,
    )  # fmt: skip
