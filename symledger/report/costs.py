"""What FLOPs and memory take on the page that `symledger derive` prints: a table of each."""

from __future__ import annotations

from symledger.accounts.account import Account
from symledger.accounts.usual import usual
from symledger.languages.message import Message, Verbatim, joined, message
from symledger.languages.words import named
from symledger.ledger.conventions import DTYPES, Conventions
from symledger.ledger.formula import Formula
from symledger.printing.numbers import short_bytes
from symledger.printing.units import byte_units
from symledger.report.layout import NBSP, Page

MEMORY = ("memory.parameters", "memory.gradients", "memory.optimizer", "memory.saved",
          "memory.training", "memory.kv_cache")  # fmt: skip
FLOPS = ("flops.forward", "flops.backward", "flops.training", "flops.decode")
REST = ("flops.forward.pointwise", "flops.backward.pointwise", "traffic.forward",
        "traffic.unfused", "intensity.forward")  # fmt: skip


def short(quantity: str) -> Message:
    """Return what a quantity is called below a heading that says what is counted."""
    return message(f"short.{quantity}")


def _cells(formula: Formula, name: str) -> list[str]:
    value = formula.value
    if value is None:
        return [name, formula.text, "", formula.unit]
    shown = f"{value:,}" if isinstance(value, int) else f"{float(value):,.4g}"
    return [name, formula.text, shown, formula.unit]


def flops(p: Page, account: Account) -> None:
    """FLOPs and traffic, as formulas and numbers; nothing where all of them are withheld."""
    names = [name for name in FLOPS if name in account.quantities]
    table: list[list[str]] = []
    for name in names:
        table.append(_cells(account[name], short(name)))
        for kind, f in account.causal(name).items():
            if kind != account.conventions.causal and name in ("flops.forward", "flops.backward"):
                said = message(f"costs.causal_{kind}")
                table.append(_cells(f, joined(("  ", said), "")))
    for name in REST:
        if name in account.quantities:
            table.append(_cells(account[name], short(name)))
    if table:
        p.heading(message("costs.flops"))
        p.table(table, ("", "", "cyan", "dim"), {2}, flexible=(1,))


def memory(p: Page, account: Account) -> None:
    """Memory of running and of training, as formulas and numbers; nothing where all is withheld."""
    c = account.conventions
    table: list[list[str]] = []
    for name in MEMORY:
        if name in account.quantities:
            f = account[name]
            cells = _cells(f, short(name))
            units = byte_units(f.value) if f.value is not None else ""
            table.append([*cells[:2], cells[2] and cells[2] + " B", units])
    if table:
        p.heading(message("costs.memory", dtype=c.dtype, optimizer=c.optimizer))
        p.table(table, ("", "", "cyan", "dim"), {2}, flexible=(1,))
    if "params" not in account.quantities:
        return
    count, trained = account.params.value, account["memory.gradients"].value
    if isinstance(count, int) and isinstance(trained, int) and count:
        _dtypes(p, count, trained // c.gradient_bytes)
    _usually(p, account)


def not_known(p: Page, account: Account) -> None:
    """Quantities that depend on a function that is not known, by name, and why."""
    if account.not_known:
        p.heading("NOT KNOWN: " + ", ".join(account.not_known))
        p.wrapped(account.not_known_because, 4)


def _dtypes(p: Page, count: int, trained: int) -> None:
    """What other types and optimizers would take, for as many weights, trained or not."""
    types = ("fp32", "bf16", "int8")
    weights = ",  ".join(f"{name} {short_bytes(count * DTYPES[name])}" for name in types)
    p.line(("    " + p.say(message("costs.weights", sizes=weights)), "dim"))
    kinds = [("fp32", "sgd"), ("fp32", "momentum"), ("fp32", "adam"), ("bf16", "adam-mixed")]
    totals = []
    for dtype, optimizer in kinds:
        c = Conventions(dtype, optimizer)
        each = c.value_bytes + c.state_bytes
        whole = short_bytes(count * c.value_bytes + trained * each)
        said = message("costs.each", optimizer=optimizer, dtype=dtype,
                       bytes=c.value_bytes + each, whole=whole)  # fmt: skip
        totals.append(p.say(said).replace(" ", NBSP))
    p.wrapped(message("costs.trained", totals=",  ".join(totals)), 4, "dim")


def _usually(p: Page, account: Account) -> None:
    """Say how such a model is usually run, where the page shows it otherwise."""
    found = usual(account)
    if found:
        dtype = message("costs.configured", dtype=found.dtype) if found.stated else found.dtype
        way = joined((dtype, named("flash"))) if found.flash else dtype
        command = Verbatim(found.command.replace(" ", NBSP))
        p.wrapped(message("costs.usually", way=way, command=command), 6, first=4)
