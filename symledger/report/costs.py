"""What FLOPs and memory take on the page that `symledger derive` prints: a table of each."""

from __future__ import annotations

from symledger.accounts.account import Account
from symledger.accounts.usual import usual
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


def _cells(formula: Formula, name: str) -> list[str]:
    value = formula.value
    if value is None:
        return [name, formula.text, "", formula.unit]
    shown = f"{value:,}" if isinstance(value, int) else f"{float(value):,.4g}"
    return [name, formula.text, shown, formula.unit]


def flops(p: Page, account: Account) -> None:
    """FLOPs and traffic, as formulas and numbers."""
    names = [name for name in FLOPS if name in account.quantities]
    p.heading("FLOPS: contractions, a multiply-add counts 2")
    table: list[list[str]] = []
    for name in names:
        table.append(_cells(account[name], name.removeprefix("flops.")))
        for kind, f in account.causal(name).items():
            if kind != account.conventions.causal and name in ("flops.forward", "flops.backward"):
                table.append(_cells(f, f"  causal pairs {kind}"))
    for name in REST:
        if name in account.quantities:
            short = name.removeprefix("flops.").replace(".", ", ")
            table.append(_cells(account[name], short))
    p.table(table, ("", "", "cyan", "dim"), {2}, flexible=(1,))


def memory(p: Page, account: Account) -> None:
    """Memory of running and of training, as formulas and numbers."""
    c = account.conventions
    p.heading(f"MEMORY: {c.dtype}, optimizer {c.optimizer}")
    table: list[list[str]] = []
    for name in MEMORY:
        if name in account.quantities:
            f = account[name]
            cells = _cells(f, name.removeprefix("memory.").replace("_", " "))
            units = byte_units(f.value) if f.value is not None else ""
            table.append([*cells[:2], cells[2] and cells[2] + " B", units])
    p.table(table, ("", "", "cyan", "dim"), {2}, flexible=(1,))
    count, trained = account.params.value, account["memory.gradients"].value
    if isinstance(count, int) and isinstance(trained, int) and count:
        _dtypes(p, count, trained // c.value_bytes)
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
    p.line((f"    weights: {weights}", "dim"))
    kinds = [("fp32", "sgd"), ("fp32", "momentum"), ("fp32", "adam"), ("bf16", "adam-mixed")]
    totals = []
    for dtype, optimizer in kinds:
        c = Conventions(dtype, optimizer)
        each = c.value_bytes + c.state_bytes
        whole = short_bytes(count * c.value_bytes + trained * each)
        said = f"{optimizer} {dtype} {c.value_bytes + each} B each, {whole}"
        totals.append(said.replace(" ", NBSP))
    p.wrapped("weights, gradients and optimizer: " + ",  ".join(totals), 4, "dim")


def _usually(p: Page, account: Account) -> None:
    """Say how such a model is usually run, where the page shows it otherwise."""
    found = usual(account)
    if found:
        way = found.dtype + " as configured" * found.stated + ", flash" * found.flash
        p.wrapped(f"as usually run ({way}): {found.command.replace(' ', NBSP)}", 6, first=4)
