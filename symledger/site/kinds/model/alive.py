"""Live bytes of a model by kind, over the operations of a step of training, drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symledger import algebra
from symledger.accounts.account import Account
from symledger.errors import SymledgerError
from symledger.languages.message import joined, message
from symledger.languages.words import implementation
from symledger.ledger.peaks import known_to_be_few
from symledger.ledger.stepping import walked
from symledger.printing.numbers import short_bytes
from symledger.readings.live.course import course
from symledger.readings.live.held import BACKWARD, FORWARD, STEP
from symledger.readings.live.kinds import Alive
from symledger.site.plots import Axis, Figure
from symledger.site.plots.areas import Layer, Stretch, area_drawing

KINDS = {"parameters": 1, "optimizer": 2, "gradients": 3, "inputs": 6, "kept": 4, "working": 5}
"""What is alive, from the bottom on, each with its colour."""
COLUMNS = 100
"""Columns of both passes that are drawn; of several operations in one, that with the most."""
STEPPING = 20
"""Columns of the optimizer's step, which is one moment."""
ROWS = 14
"""Rows of the table on a page."""
MOST = 100_000
"""Operations above which nothing is drawn."""


@dataclass(frozen=True)
class Moment:
    """An operation: its number, the pass, and the bytes of each kind that are alive."""

    number: int
    way: str
    amounts: dict[str, int]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.amounts.values())

    @property
    def row(self) -> tuple[str, ...]:
        """It as a row of the data."""
        amounts = (str(self.amounts.get(kind, 0)) for kind in KINDS)
        return str(self.number), message(f"alive.{self.way}"), *amounts, str(self.total)


@dataclass(frozen=True)
class Live:
    """What is alive in a step of training: its figure, and the most at once."""

    figure: Figure
    most: int

    @property
    def units(self) -> str:
        """The most at once, in a binary unit."""
        return short_bytes(self.most)


def live(account: Account) -> Live | None:
    """Draw what is alive; nothing where sizes are open, or it is not derived."""
    try:
        found = moments(account)
    except SymledgerError:
        return None  # the command says why
    if not found:
        return None
    *passes, step = found
    columns = [*_largest(passes, COLUMNS), *[step] * STEPPING]
    shown = [*columns[:-STEPPING], step]
    kinds = [kind for kind in KINDS if any(m.amounts.get(kind) for m in found)]
    layers = [Layer(message(f"alive.{kind}"), KINDS[kind],
                    tuple(m.amounts.get(kind, 0) for m in columns)) for kind in kinds]  # fmt: skip
    stretches = [
        Stretch(message(f"alive.{way}"), 1 + max(i for i, m in enumerate(columns) if m.way == way))
        for way in (FORWARD, BACKWARD, STEP)
    ]
    name, title = f"{account.target.name}-alive", message("alive.title")
    most = max(found, key=lambda m: m.total)
    said = joined([message("alive.most", kind=message(f"alive.{kind}"),
                           value=max(m.amounts.get(kind, 0) for m in found)) for kind in kinds],
                  "; ")  # fmt: skip
    svg = area_drawing(
        name, title, said, message("alive.operations", n=len(passes)),
        Axis(message("unit.bytes")), layers, stretches,
    )  # fmt: skip
    head = (message("alive.operation"), message("common.pass"),
            *(message(f"alive.{kind}") for kind in KINDS), message("common.total"))  # fmt: skip
    rows = tuple(m.row for m in shown)
    table = tuple(m.row for m in [*_largest(passes, ROWS), step])
    return Live(Figure(name, title, svg, head, rows, table), most.total)


def eager(account: Account, say: Callable[..., str]) -> str:
    """Say how much is in memory as PyTorch runs the reference implementation, and the difference.

    Where that was not observed it says so.
    """
    name = "memory.peak.train"
    try:
        found, observed = account.by_other_schedule(name)
        value, own = found.exact, account.amount(name)
    except SymledgerError:
        return say("alive.not_eager")
    if value is None or own is None:
        return say("alive.not_eager")
    more = int(value - own)
    key = "alive.eager_more" if more >= 0 else "alive.eager_less"
    return say(key, implementation=implementation(observed), value=f"{int(value):,}",
               difference=f"{abs(more):,}")  # fmt: skip


def moments(account: Account) -> list[Moment]:
    """Return every operation of both passes, then the optimizer's step where it holds most.

    Nothing where a size is open.

    Raises:
        BadInput: what is alive is not derived for this model.
    """
    readings, at = account.params.readings, dict(account.assumed.bindings)
    few = known_to_be_few(readings.program, account.assumed)
    step = account["memory.peak.step"]
    if step.exact is None:
        return []
    for symbol, polynomial in account.assumed.equations.items():
        at.setdefault(symbol, int(algebra.value(polynomial, at) or 0))
    timeline = walked(readings, few)
    throughout = {name: int(account[f"memory.{name}"].exact or 0)
                  for name in ("parameters", "optimizer")}  # fmt: skip
    found = []
    for number, sample in enumerate(course(Alive(timeline, readings.prices), at), 1):
        if number > MOST:
            return []
        found.append(Moment(number, sample.step.way, {**throughout, **sample.amounts}))
    parts = {part.label: int(algebra.value(part.total, at) or 0) for part in step.line.parts}
    return [*found, Moment(len(found) + 1, STEP, parts)]


def _largest(found: Sequence[Moment], most: int) -> list[Moment]:
    """Return so many moments at most: of those beside each other in one pass, the largest."""
    kept: list[Moment] = []
    for way in (FORWARD, BACKWARD):
        own = [m for m in found if m.way == way]
        share = max(1, round(most * len(own) / len(found)))
        edges = [len(own) * i // min(share, len(own)) for i in range(min(share, len(own)) + 1)]
        kept += [max(own[a:b], key=lambda m: m.total) for a, b in pairwise(edges)]
    return kept
