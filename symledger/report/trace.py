"""What the page of a traced module says of its trace: what was heard, folded, fixed, verified."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symledger import algebra
from symledger.accounts.account import Account
from symledger.languages.language import ENGLISH, sentence
from symledger.languages.message import Text, Verbatim, joined, message, word
from symledger.languages.words import slug
from symledger.report.layout import NBSP, Page, wrap
from symledger.targets.traced import TracedTarget
from symledger.traces.graph import LEAVES, Graph, Traced
from symledger.traces.scopes import homes

MARKS = {True: ("✓", "green"), False: ("✗", "red")}
CLAIMS = ("params", "forward", "backward", "saved", "saved_but", "values", "values_but",
          "values_within")  # fmt: skip
"""What checks claim, by the last part of the key of the message."""


def beyond(p: Page, account: Account, indent: int) -> None:
    """Say which sizes lie outside what was verified, so that all that follows is extrapolated."""
    assert isinstance(account.target, TracedTarget)
    found = account.target.beyond(account.assumed.bindings)
    if found:
        sizes = ", ".join(f"{name} ({low:,} … {high:,})" for name, (low, high) in found.items())
        p.wrapped(message("trace.beyond", sizes=sizes), indent, "yellow")


def section(p: Page, account: Account) -> None:
    """Write the evidence of a trace."""
    assert isinstance(account.target, TracedTarget)
    traced = account.target.traced
    p.heading(message("trace.evidence"))
    mode = message("trace.training" if traced.training else "trace.evaluating")
    about = message("trace.made", source=Verbatim(f"{traced.source}:{traced.name}"),
                    torch=traced.torch, mode=mode)  # fmt: skip
    p.wrapped(about, 6, first=4)
    named = [f"{symbol} = {own}" for symbol, own in traced.names.items() if symbol != own]
    for key, items in (
        ("trace.sizes", [*named, *(s for s, own in traced.names.items() if s == own)]),
        ("trace.fixed", [f"{a.name} = {a.value}" for a in traced.fixed]),
        ("trace.folded", list(repeats(traced.graph))),
        ("trace.again", list(dict.fromkeys(again(traced.graph)))),
        ("trace.effects", [f"{a.name} by {a.value}" for a in traced.effects]),
        ("trace.custom", [f"{a.value} in {a.name}" for a in traced.custom]),
        ("trace.told", told(traced)),
        ("trace.ranges", ranges(traced)),
        ("trace.conditions", list(map(str, traced.conditions))),
    ):
        if items:
            said = "   ".join(item.replace(" ", NBSP) for item in items)
            p.wrapped(joined((message(key), said), ": "), 6, "dim", first=4)
    _checks(p, account.target)


def _checks(p: Page, target: TracedTarget) -> None:
    points = len(target.traced.points)
    if points:
        p.line("    ", MARKS[True], " ", message("trace.verified", n=points))
    for check in target.traced.checks:
        deviation = message("page.exact") if check.worst == "0" else message(
            "page.worst", worst=check.worst
        )
        compared = p.say(message("page.points", n=check.points, deviation=deviation))
        _check(p, MARKS[check.passed], p.say(claimed(check.claim)), compared)
        if check.detail:
            p.wrapped(Verbatim(check.detail), 8, "" if check.passed else "red")
    if target.withheld:
        said = message("trace.withheld", quantities=", ".join(target.withheld))
        p.wrapped(said, 6, "red", first=4)


def _check(p: Page, mark: tuple[str, str], claim: str, compared: str) -> None:
    """Write what a check claims and where it was compared, broken where that is long."""
    *parts, last = wrap(claim.replace(" = ", f"{NBSP}={NBSP}"), p.width - 6)
    margins = ["    ", mark, " "], ["      "]
    for i, part in enumerate(parts):
        p.line(*margins[bool(i)], part)
    if len(last) + len(compared) + 9 > p.width:
        p.line(*margins[bool(parts)], last)
        p.line("      ", (compared, "dim"))
    else:
        p.line(*margins[bool(parts)], last, (f"   {compared}", "dim"))


def claimed(said: str) -> Text:
    """Return what a check claims, which a file holds in English, as the message that it is."""
    for name in CLAIMS:
        english = re.escape(sentence(ENGLISH, f"trace.claim.{name}", {}))
        found = re.fullmatch(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", english), said)
        if found:
            return message(f"trace.claim.{name}", **{
                key: joined(word(f"trace.kept.{slug(each)}", each) for each in value.split(", "))
                if key == "artefacts" else value for key, value in found.groupdict().items()
            })  # fmt: skip
    return Verbatim(said)


def repeats(graph: Graph) -> Iterator[str]:
    """Yield what was folded: ``transformer.h × L``."""
    for node in graph.nodes:
        if node.body is not None and node.times is not None:
            times = algebra.repeated(algebra.terms(node.times)) or " × 1"
            each = f" of {node.period}" if node.period > 1 else ""
            named = (part for part in node.path.split(".") if not part.isdecimal())
            name = ".".join(named) or ("loop" if node.operation == "loop" else "layers")
            yield f"{name}{times}{each}"
            yield from repeats(node.body)


def again(graph: Graph) -> Iterator[str]:
    """Yield the modules in which something is run again in the backward pass."""
    for inner in graph.bodies:
        paths = [None if n.operation in LEAVES else n.path for n in inner.nodes]
        bodies = {i for i, n in enumerate(inner.nodes) if n.body}
        found = homes(paths, [n.within for n in inner.nodes], bodies)
        yield from (path or "forward" for path in found.values())


def told(traced: Traced) -> list[str]:
    """Return what rows were told: how many of a mask are true on average."""
    rows = {
        str(s) for graph in traced.graph.bodies for _, node in graph.of("aten.nonzero")
        for s in node.results[0].shape[0].free_symbols
    }  # fmt: skip
    return [f"{name} = {e}" for name, e in traced.definitions.items() if name in rows]


def ranges(traced: Traced) -> list[str]:
    """Return from where to where each size was verified."""
    found = []
    for symbol in traced.sizes:
        seen = sorted({point[symbol] for point in traced.points if symbol in point})
        if seen:
            found.append(f"{symbol} = {seen[0]:,}" + (f" … {seen[-1]:,}" if seen[1:] else ""))
    return found
