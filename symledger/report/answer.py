"""The page that answers "how many parameters has this layer?", for a layer of torch.nn."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from math import gcd

from symledger import algebra
from symledger.account import Account, derive
from symledger.algebra import Terms
from symledger.constructors import Constructor
from symledger.conventions import byte_units
from symledger.formulas import Formula
from symledger.occurrences import occurrences, same_parameters, written_as
from symledger.report.layout import NBSP, Page
from symledger.report.page import (
    FLOPS,
    cited,
    compared,
    conventions,
    derivation,
    describe,
    number,
    tree,
)
from symledger.report.rows import plus

EACH = {"1": "", "B": " a row", "BT": " a token"}
POINTWISE = ("flops.forward.pointwise", "flops.backward.pointwise")


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
    _otherwise(p, account, constructor)
    _snippet(p, account, constructor)
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
    called = constructor.arguments_of
    sizes = [
        (f"{called[s.name]} = " if s.name in called else "") + f"{s} = {n:,}"
        for s, n in sorted(assumed.bindings.items(), key=str)
    ]
    choices = [describe(name, value) for name, value in target.options.items()]
    p.wrapped("   ".join(size.replace(" ", NBSP) for size in sizes), 2)
    p.wrapped(" · ".join(choices), 2, "dim")
    for sentence in assumed.dropped:
        p.wrapped(f"note: {sentence}", 2, "yellow")


def _memory(p: Page, account: Account) -> None:
    """The weights by type, and with what training adds; then what the backward pass keeps."""
    c = account.conventions
    p.heading("MEMORY")
    table = []
    for dtype in dict.fromkeys((c.dtype, "fp32", "bf16")) if account.params.value else ():
        table.append([f"weights, {dtype}", *_bytes(_held(account.under(dtype=dtype), 1)), ""])
    pairs = [(c.dtype, c.optimizer), ("fp32", "sgd"), ("fp32", "adam"), ("bf16", "adam-mixed")]
    for dtype, optimizer in dict.fromkeys(pairs) if table else ():
        other = account.under(dtype=dtype, optimizer=optimizer)
        whole, alone = _held(other, 3), _held(other, 1)
        times = f"{float(whole / alone):.4g} × the weights"
        table.append([f"with gradients and {optimizer}, {dtype}", *_bytes(whole), times])
    if table:
        p.table(table, ("", "cyan", "dim", "dim"), {1}, (2,), indent=4)
    kept = at_sizes(account, account["memory.saved"], "B")
    p.line(f"    kept for the backward pass, {c.dtype}: ", (kept, "cyan"))


def _held(account: Account, parts: int) -> int:
    """Bytes of the weights; with 2 parts also of gradients, with 3 of optimizer state."""
    names = ("memory.parameters", "memory.gradients", "memory.optimizer")[:parts]
    return sum(int(account[name].value or 0) for name in names)


def _bytes(n: int) -> tuple[str, str]:
    units = byte_units(n)
    return f"{n:,} B", f"= {units}" if units != f"{n} B" else ""


def _flops(p: Page, account: Account) -> None:
    names = [name for name in (*FLOPS, *POINTWISE) if name in account.quantities]
    p.heading("FLOPS: contractions (a multiply-add counts 2), then everything else")
    table = [
        [name.removeprefix("flops.").replace(".", ", "), account[name].text,
         at_sizes(account, account[name], "FLOP")]
        for name in names
    ]  # fmt: skip
    p.table(table, ("", "", "cyan"), set(), flexible=(1, 2), indent=4)


def at_sizes(account: Account, formula: Formula, unit: str) -> str:
    """Write a formula with the known sizes put in; where it allows, for one row or one token.

    Linear(768, 3072): 2·B·d_in·d_out → ``4,718,592 FLOP a row``.
    """
    known: dict[object, Terms] = {s: {(): n} for s, n in account.assumed.bindings.items()}
    found = algebra.substitute(formula.corollary_terms, known)
    said = [(algebra.text({monomial: 1}), c) for monomial, c in algebra.ordered(found)]
    if len(said) == 1 and said[0][0] in EACH:
        return f"{number(said[0][1])} {unit}{EACH[said[0][0]]}"
    each = [number(c) + ("" if symbols == "1" else f" {symbols}") for symbols, c in said]
    return f"{plus(each) or 0} {unit}"


def _otherwise(p: Page, account: Account, constructor: Constructor) -> None:
    """Each flag the other way round, side by side, where that changes the parameters."""
    others = [(str(c), _again(account, str(c))) for c in constructor.toggled()]
    others = [(text, a) for text, a in others if a.params.value != account.params.value]
    if not others:
        return
    p.heading("WITH AND WITHOUT")
    table = [["", "parameters", "difference", account.conventions.dtype]]
    for text, other in [(constructor.text, account), *others]:
        here, count = account.params.value or 0, other.params.value or 0
        change = f"{int(count - here):+,}" if other is not account else ""
        table.append([text, number(count), change, byte_units(_held(other, 1))])
    p.table(table, ("", "cyan", "", "dim"), {1, 2}, (0, 3), indent=4)


def _again(account: Account, text: str) -> Account:
    c = account.conventions
    return derive(text, dtype=c.dtype, optimizer=c.optimizer, causal=c.causal)


def snippet(account: Account) -> Iterator[str]:
    """Write the lines of PyTorch that print the number."""
    constructor = account.target.constructor
    assert constructor is not None
    yield "import torch.nn as nn"
    yield f"layer = {constructor.python()}"
    yield f"print(sum(p.numel() for p in layer.parameters()))  # {account.params.value}"


def _snippet(p: Page, account: Account, constructor: Constructor) -> None:
    p.heading("VERIFY WITH PYTORCH")
    for line in snippet(account):
        p.line("    ", (line, "green"))


def _where(p: Page, account: Account) -> None:
    """The models that it occurs in, from their ledgers."""
    found = [
        (o.model, " › ".join(o.path).replace("_", " ") or "all of it", f"{o.times:,} ×")
        for o in occurrences(account)
    ]
    if found:
        p.heading("WHERE SUCH WEIGHTS OCCUR")
        p.table(found, ("bold", "", "dim"), {2}, indent=4)


def _same(p: Page, account: Account) -> None:
    """Layers of another kind with the same polynomial, where it holds at these sizes."""
    for i, same in enumerate(same_parameters(account)):
        if not i:
            p.heading("AS MANY PARAMETERS")
        sizes = ", ".join(f"{name} = {n:,}" for name, n in same.at.items())
        layer = written_as(same.side.name, same.sizes, same.account.target.options)
        p.wrapped(f"{factored(same.account.params.corollary_terms)} at {sizes}: {same.side}"
                  + (f"; {layer} in PyTorch" if layer else ""), 6, first=4)  # fmt: skip


def factored(polynomial: Terms) -> str:
    """Write a polynomial with the divisor of its coefficients in front: ``4(d² + d)``."""
    common = gcd(*(c.numerator if c.denominator == 1 else 1 for c in polynomial.values()))
    if common <= 1 or len(polynomial) == 1:
        return algebra.text(polynomial)
    inner: Terms = {monomial: int(c) // common for monomial, c in polynomial.items()}
    return f"{common}({algebra.text(inner)})"


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
