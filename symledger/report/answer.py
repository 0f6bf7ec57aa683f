"""The page that answers "how many parameters has this layer?", for a layer of torch.nn."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from symledger.accounts.account import Account
from symledger.accounts.reuse import places_in_models, published_places, same_parameters, written_as
from symledger.ledger.formula import Formula
from symledger.printing.numbers import number
from symledger.printing.rows import show_shape
from symledger.report.figures import (
    Held,
    at_sizes,
    by_type,
    costs,
    factored,
    in_training,
    snippet,
    variants,
)
from symledger.report.layout import NBSP, Page
from symledger.report.page import cited, compared, conventions, derivation, describe, tree
from symledger.torch_layers.call import Constructor


def page(account: Account, quantities: Sequence[str], depth: int, width: int) -> Page:
    """Write the answer: the number, why, its memory and FLOPs, and how to verify it."""
    del quantities  # with quantities named it is the page of any target
    constructor = account.target.constructor
    assert constructor is not None
    p = Page(width)
    _headline(p, account, constructor)
    if account.params.general:
        derivation(p, account.params, depth)
        tree(p, account, account.params, depth)
    _memory(p, account)
    _flops(p, account)
    _otherwise(p, account)
    _snippet(p, account)
    _where(p, account)
    _same(p, account)
    compared(p, account, account.quantities)
    conventions(p, account)
    _next(p, account)
    return p


def has(count: Formula) -> str:
    """Say how many parameters there are: ``2,362,368 parameters``, ``no parameters``."""
    if not count.general:
        return "no parameters"
    said = count.text if count.value is None else number(count.value)
    return f"{said} parameter{'' if count.value == 1 else 's'}"


def _headline(p: Page, account: Account, constructor: Constructor) -> None:
    target, assumed = account.target, account.assumed
    p.line((constructor.text, "bold cyan"), " has ", (has(account.params), "bold"))
    p.line()
    p.wrapped(f"torch.nn.{constructor.layer.name} is {target.entry}: {target.title}", 2)
    p.wrapped(f"what enters and what comes out: {_shapes(account)}", 2)
    called = constructor.arguments_of
    sizes = [
        (f"{called[s.name]} = " if s.name in called else "") + f"{s} = {n:,}"
        for s, n in sorted(assumed.bindings.items(), key=str)
    ]
    choices = [describe(name, value) for name, value in target.options.items()]
    p.wrapped("   ".join(size.replace(" ", NBSP) for size in sizes), 2)
    p.wrapped(" · ".join(choices), 2, "dim")
    for sentence in (*filter(None, [constructor.reads]), *account.dropped):
        p.wrapped(f"note: {sentence}", 2, "yellow")


def _shapes(account: Account) -> str:
    """The shapes of what enters and of what comes out: ``[B d_in] → [B d_out]``."""
    return " → ".join(
        " ".join(show_shape(t.shape, account.assumed.equations) for t in tensors)
        for tensors in (account.program.inputs, account.program.outputs)
    )


def _memory(p: Page, account: Account) -> None:
    """The weights by type, and with what training adds; then what the backward pass keeps."""
    p.heading("MEMORY")
    table = [[f"weights, {held.dtype}", *_bytes(held), ""] for held in by_type(account)]
    for held in in_training(account):
        times = f"{float(held.times):.4g} × the weights"
        table.append([f"with gradients and {held.optimizer}, {held.dtype}", *_bytes(held), times])
    if table:
        p.table(table, ("", "cyan", "dim", "dim"), {1}, (2,), indent=4)
    kept = at_sizes(account, account["memory.saved"], "B")
    p.line(f"    kept for the backward pass, {account.conventions.dtype}: ", (kept, "cyan"))


def _bytes(held: Held) -> tuple[str, str]:
    return f"{held.bytes:,} B", held.units


def _flops(p: Page, account: Account) -> None:
    p.heading("FLOPS: contractions (a multiply-add counts 2), then everything else")
    table = [[cost.name, cost.formula.text, cost.known] for cost in costs(account)]
    p.table(table, ("", "", "cyan"), set(), flexible=(1, 2), indent=4)


def _otherwise(p: Page, account: Account) -> None:
    """Each flag the other way round, side by side, where that changes the parameters."""
    found = variants(account)
    if not found:
        return
    p.heading("WITH AND WITHOUT")
    table = [["", "parameters", "difference", account.conventions.dtype]]
    for v in found:
        change = "" if v.more is None else f"{v.more:+,}"
        table.append([v.text, f"{v.count:,}", change, v.held.units or f"{v.held.bytes} B"])
    p.table(table, ("", "cyan", "", "dim"), {1, 2}, (0, 3), indent=4)


def _snippet(p: Page, account: Account) -> None:
    p.heading("VERIFY WITH PYTORCH")
    for line in snippet(account):
        p.line("    ", (line, "green"))


def _where(p: Page, account: Account) -> None:
    """The models that it occurs in, from their ledgers and from publications."""
    found = [
        (o.model, " › ".join(o.path).replace("_", " ") or "all of it", f"{o.times:,} ×")
        for o in places_in_models(account)
    ]
    known = list(published_places(account))
    if found or known:
        p.heading("WHERE SUCH WEIGHTS OCCUR")
    if found:
        p.table(found, ("bold", "", "dim"), {2}, indent=4)
    for fact in known:
        p.wrapped(f"{fact.place} ({fact.source})", 6, first=4)


def _same(p: Page, account: Account) -> None:
    """Layers of another kind with the same polynomial, where it holds at these sizes."""
    for i, same in enumerate(same_parameters(account)):
        if not i:
            p.heading("AS MANY PARAMETERS")
        sizes = ", ".join(f"{name} = {n:,}" for name, n in same.at.items())
        layer = written_as(same.side.name, same.sizes, same.account.target.options)
        p.wrapped(f"{factored(same.account.params.corollary_terms)} at {sizes}: {same.side}"
                  + (f"; {layer} in PyTorch" if layer else ""), 6, first=4)  # fmt: skip


def _next(p: Page, account: Account) -> None:
    name = shlex.quote(account.target.name)
    p.heading("NEXT")
    for command, why in (
        (f"symledger derive {name} --set B=32", "a number of rows or sequences"),
        (f"symledger derive {name} --quantity flops.backward", "one quantity, line by line"),
        (f"symledger derive {account.target.entry}", "the formulas for any size"),
        (f"symledger check {account.target.entry}", "check them on this machine"),
        *cited(account),
    ):
        p.line("    ", (command, "bold"), (f"   {why}", "dim"))
