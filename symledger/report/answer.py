"""The page that answers "how many parameters has this layer?", for a layer of torch.nn."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from symledger.accounts.account import Account
from symledger.accounts.reuse import places_in_models, published_places, same_parameters, written_as
from symledger.languages.language import ENGLISH
from symledger.languages.message import Text, Verbatim, joined, message
from symledger.languages.words import choice, part
from symledger.ledger.formula import Formula
from symledger.printing.numbers import number
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
from symledger.report.page import advise, cited, compared, conventions, derivation, tree
from symledger.torch_layers.call import Constructor


def page(
    account: Account, quantities: Sequence[str], depth: int, width: int, language: str = ENGLISH
) -> Page:
    """Write the answer: the number, why, its memory and FLOPs, and how to verify it."""
    del quantities  # with quantities named it is the page of any target
    constructor = account.target.constructor
    assert constructor is not None
    p = Page(width, language)
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


def has(count: Formula) -> Text:
    """Say how many parameters there are: ``2,362,368 parameters``, ``no parameters``."""
    if not count.general:
        return message("answer.nothing")
    if isinstance(count.value, int):
        return message("answer.parameters", n=count.value)
    said = count.text if count.value is None else number(count.value)
    return message("answer.as_many", count=said)


def _headline(p: Page, account: Account, constructor: Constructor) -> None:
    target, assumed = account.target, account.assumed
    said = message("answer.has", layer=Verbatim(constructor.text), count=has(account.params))
    p.sentence(said, layer="bold cyan", count="bold")
    p.line()
    layer = f"torch.nn.{constructor.layer.name}"
    said = message("answer.is", layer=layer, entry=target.entry, title=target.title)
    p.wrapped(said, 2)
    called = constructor.arguments_of
    sizes = [
        (f"{called[s.name]} = " if s.name in called else "") + f"{s} = {n:,}"
        for s, n in sorted(assumed.bindings.items(), key=str)
    ]
    choices = joined((choice(name, value) for name, value in target.options.items()), " · ")
    p.wrapped("   ".join(size.replace(" ", NBSP) for size in sizes), 2)
    p.wrapped(choices, 2, "dim")
    for sentence in (*filter(None, [constructor.reads]), *account.dropped):
        p.wrapped(message("page.note", sentence=sentence), 2, "yellow")


def _memory(p: Page, account: Account) -> None:
    """The weights by type, and with what training adds; then what the backward pass keeps."""
    p.heading(message("answer.memory"))
    table: list[list[str]] = [
        [message("answer.weights", dtype=held.dtype), *_bytes(held), ""]
        for held in by_type(account)
    ]
    for held in in_training(account):
        times = message("answer.times_the_weights", times=f"{float(held.times):.4g}")
        kind = message("answer.trained", optimizer=held.optimizer, dtype=held.dtype)
        table.append([kind, *_bytes(held), times])
    if table:
        p.table(table, ("", "cyan", "dim", "dim"), {1}, (2,), indent=4)
    kept = at_sizes(account, account["memory.saved"], "B")
    said = message("answer.kept", dtype=account.conventions.dtype, amount=kept)
    p.sentence(said, 4, amount="cyan")


def _bytes(held: Held) -> tuple[str, str]:
    return f"{held.bytes:,} B", held.units


def _flops(p: Page, account: Account) -> None:
    p.heading(message("answer.flops"))
    table = [[cost.name, cost.formula.text, cost.known] for cost in costs(account)]
    p.table(table, ("", "", "cyan"), set(), flexible=(1, 2), indent=4)


def _otherwise(p: Page, account: Account) -> None:
    """Each flag the other way round, side by side, where that changes the parameters."""
    found = variants(account)
    if not found:
        return
    p.heading(message("answer.otherwise"))
    table: list[list[str]] = [["", message("answer.parameters_of"), message("answer.difference"),
                               account.conventions.dtype]]  # fmt: skip
    for v in found:
        change = "" if v.more is None else f"{v.more:+,}"
        units = v.held.units or f"{v.held.bytes} B"
        table.append([Verbatim(v.text), f"{v.count:,}", change, units])
    p.table(table, ("", "cyan", "", "dim"), {1, 2}, (0, 3), indent=4)


def _snippet(p: Page, account: Account) -> None:
    p.heading(message("answer.verify"))
    for line in snippet(account):
        p.line("    ", (Verbatim(line), "green"))


def _where(p: Page, account: Account) -> None:
    """The models that it occurs in, from their ledgers and from publications."""
    found = [
        (o.model, joined(map(part, o.path), " › ") or message("answer.all_of_it"),
         f"{o.times:,} ×")
        for o in places_in_models(account)
    ]
    known = list(published_places(account))
    if found or known:
        p.heading(message("answer.where"))
    if found:
        p.table(found, ("bold", "", "dim"), {2}, indent=4)
    for fact in known:
        said = message("answer.published", place=fact.words, source=Verbatim(fact.source))
        p.wrapped(said, 6, first=4)


def _same(p: Page, account: Account) -> None:
    """Layers of another kind with the same polynomial, where it holds at these sizes."""
    for i, same in enumerate(same_parameters(account)):
        if not i:
            p.heading(message("answer.same"))
        sizes = ", ".join(f"{name} = {n:,}" for name, n in same.at.items())
        layer = written_as(same.side.name, same.sizes, same.account.target.options)
        formula = factored(same.account.params.corollary_terms)
        said: Text = message("answer.same_at", formula=formula, sizes=sizes, target=same.side.said)
        if layer:
            written = message("answer.in_pytorch", layer=Verbatim(layer))
            said = joined((said, written), "; ")
        p.wrapped(said, 6, first=4)


def _next(p: Page, account: Account) -> None:
    name = shlex.quote(account.target.name)
    p.heading(message("page.next"))
    for command, why in (
        (f"symledger derive {name} --set B=32", message("next.rows")),
        (f"symledger derive {name} --quantity flops.backward", message("next.quantity")),
        (f"symledger derive {account.target.entry}", message("next.any_size")),
        (f"symledger check {account.target.entry}", message("next.check_them")),
        *cited(account),
    ):
        advise(p, command, why)
