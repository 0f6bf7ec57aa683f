"""Component pages: one for every component of the catalogue, and their index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from markupsafe import Markup

from symledger.accounts.account import Account
from symledger.catalogue.entries import find
from symledger.catalogue.entry import Entry
from symledger.catalogue.text_places import said_by
from symledger.catalogue.texts import text_of
from symledger.site import scripts
from symledger.site.atlas import Atlas
from symledger.site.html import maths
from symledger.site.html.calculator import Calculator, calculator
from symledger.site.html.templating import Templates
from symledger.site.kinds.component import definition, graph, lessons, numbers, proof
from symledger.site.pages import Page
from symledger.site.text.examples import settings
from symledger.site.text.names import title
from symledger.site.text.voice import Voice
from symledger.site.tongues import has_text, speaks

INDEX = "components/index.md"
PAGE = "component/page.md.j2"
"""The path of the index, and the template of a page."""
FULL = 232_000
"""Bytes of a page that is full: what its witness defines then lies beside it alone, and what it
runs has no colours."""
COLOURED = re.compile(r"```python\n(.*?)```", re.DOTALL)
COLOURS = 5
"""How many times the room of a line of code its colours take."""


@dataclass(frozen=True)
class Listed:
    """One row of the index: a component and its two best-known formulas.

    FLOPs are contractions, or all the rest where it ``contracts`` nothing.
    """

    title: str
    page: str
    what: str
    params: Markup
    flops: Markup
    contracts: bool


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then the components by topic."""
    tongue = templates.tongue
    if tongue.has(INDEX):
        yield atlas.memory.page(tongue.named("components"), lambda: index(atlas, templates))
    for entries in atlas.components.values():
        for entry in entries:
            if tongue.has(atlas.page_of(entry.name)):
                make = partial(page, atlas, templates, entry)
                yield atlas.memory.page(tongue.named(entry.name), make)


def translated(atlas: Atlas, language: str) -> Iterator[str]:
    """Yield the index, and the components that have a text, where a language has words for them."""
    if speaks(language, "components.md.j2"):
        yield INDEX
    for entry in chain(*atlas.components.values()) if speaks(language, PAGE) else ():
        if has_text(language, entry.name):
            yield atlas.page_of(entry.name)


def index(atlas: Atlas, templates: Templates) -> Page:
    """Return the index of all components."""
    topics = {t: tuple(_listed(atlas, e) for e in es) for t, es in atlas.components.items()}
    return templates.page(INDEX, "components.md.j2", topics=topics)


def _listed(atlas: Atlas, entry: Entry) -> Listed:
    account = atlas.account(entry.name)
    params, flops, _ = (maths.of(account[name]) for name in numbers.glance(account))
    return Listed(
        title(entry.name), atlas.page_of(entry.name), account.target.title, params, flops,
        "flops.forward" in account.quantities,
    )  # fmt: skip


def page(atlas: Atlas, templates: Templates, entry: Entry) -> Page:
    """Return the page of one component, in numbers at the sizes of its example."""
    atlas.memory.note_text(*definition.files(entry))
    text = text_of(entry.name, templates.language)
    chosen = settings(atlas.account(entry.name), text)
    with said_by(entry.name):
        for name in text.before:
            find(name)  # there has to be such a page
        account = atlas.account(entry.name, **chosen)
    voice = Voice(atlas, account, chosen, templates.language)
    forward, backward = definition.equations(account, text.intuition)
    around = graph.neighbours(atlas, entry, text)
    near, inner, hidden = definition.ledger(account)
    shown = partial(
        templates.page, atlas.page_of(entry.name), PAGE, entry=entry,
        title=title,
        names=[title(entry.name), entry.name, *text.also, *text.search], text=text,
        voice=voice, target=account.target, page_of=atlas.page_of,
        glance=[numbers.amount(atlas, account, name) for name in numbers.glance(account)],
        groups=numbers.groups(atlas, account), calculated=calculated(account),
        example=example(account), symbols=definition.symbols(account), shapes=near, inner=inner,
        hidden=hidden, source=definition.source(entry), module=definition.module(entry),
        forward=forward, backward=backward, snippets=definition.snippets(atlas, entry, account),
        variants=numbers.variants(atlas, account), evidence=proof.evidence(account),
        plot=proof.plot(entry.family, text.bugs), around=around,
        bugs=proof.bugs(atlas, account, chosen, text.bugs),
        exercises=lessons.solved(voice, text.exercises),
        graph=graph.graph(around, templates.say), conventions=account.conventions.to_dict(),
        command=command(account, chosen), factored=maths.factored, spelled=maths.spelled,
        arranged=numbers.is_arranged(account), stated=hasattr(entry.load(), "pullback"),
    )  # fmt: skip
    witness = definition.witness(entry, account)
    whole = shown(witness=witness)
    if witness is None or weight(whole) <= FULL:
        return whole
    return shown(witness=replace(witness, shown=False))


def weight(page: Page) -> int:
    """Return about how many bytes a page will have."""
    coloured = sum(len(code) for code in COLOURED.findall(page.source))
    return len(page.merged.encode()) + COLOURS * coloured


def calculated(account: Account) -> Calculator:
    """Return boxes for the sizes of the example, and the quantities that are worth trying.

    What costs nothing but what it moves has a calculator of that.
    """
    names = ("params", *numbers.GROUPS["flops"], "memory.saved", "memory.kv_cache")
    found = calculator([account[name] for name in names if name in account.quantities])
    return found if found.boxes else calculator([account["traffic.forward"]])


def example(account: Account) -> Markup:
    """Write the sizes of the example: ``B = 32, d_in = 768, d_out = 3,072``."""
    found = sorted(account.assumed.bindings.items(), key=lambda item: item[0].name)
    return Markup(", ").join(
        Markup('<span class="size">{} = {:,}</span>').format(maths.symbol(s), n) for s, n in found
    )


def command(account: Account, chosen: dict[str, str]) -> str:
    """Write the command that prints the numbers of a page."""
    given = "".join(f" --set {name}={n}" for name, n in chosen.items())
    return f"symledger derive {account.request.target}{given}"


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them: the data of the plots, the scripts of the witnesses."""
    return {
        **atlas.memory.files("plots of components", lambda: plots(atlas)),
        **atlas.memory.files("witnesses of components", lambda: witnesses(atlas)),
    }


def plots(atlas: Atlas) -> dict[str, bytes]:
    """Return the data of every plot."""
    entries = (entry for entries in atlas.components.values() for entry in entries)
    found = (proof.plot(entry.family, text_of(entry.name).bugs) for entry in entries)
    return {plot.figure.file: plot.figure.csv for plot in found if plot}


def witnesses(atlas: Atlas) -> dict[str, bytes]:
    """Return the script of every witness."""
    entries = (entry for entries in atlas.components.values() for entry in entries)
    found = (definition.witness(entry, scripts.at_page(atlas, entry)) for entry in entries)
    return {made.file: f"{made.script.code}\n".encode() for made in found if made}
