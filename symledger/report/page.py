"""The page that `symledger derive TARGET` prints: a derivation that a person enjoys reading."""

from __future__ import annotations

from collections.abc import Sequence

from symledger import algebra
from symledger.accounts.account import Account
from symledger.evidence import records as evidence
from symledger.evidence.claims import Kind, kind_named
from symledger.languages import words
from symledger.languages.language import ENGLISH
from symledger.languages.message import Message, Text, Verbatim, joined, message
from symledger.languages.words import choice
from symledger.ledger.at_moment import AtMoment
from symledger.ledger.conventions import named as convention_named
from symledger.ledger.formula import Formula
from symledger.ledger.peaks import Peak
from symledger.ledger.quantities import Quantity
from symledger.printing.numbers import error_percent, number, substituted, whole
from symledger.printing.rows import rows, show_shape, written
from symledger.readings.equations.scalar import scalar
from symledger.readings.equations.sheet import TEXT
from symledger.report import configuration, costs, recomputation
from symledger.report.layout import NBSP, Page


def page(
    account: Account, quantities: Sequence[str], depth: int, width: int, language: str = ENGLISH
) -> Page:
    """Write the page; with quantities named, only those."""
    p = Page(width, language)
    head(p, account)
    recomputation.section(p, account)
    if quantities:
        for name in quantities:
            formula = account[name]
            shown = _largest(p, account, formula) if isinstance(formula, Peak) else formula
            if shown:
                tree(p, account, shown, depth)
                derivation(p, shown, depth)
            evidence_of(p, account, (name,))
        return p
    repeats = bool(account.program.calls)
    if not repeats:
        _equations(p, account)
    if "params" in account.quantities:
        tree(p, account, account.params, depth)
        _active(p, account)
        derivation(p, account.params, depth)
    costs.flops(p, account)
    costs.memory(p, account)
    costs.not_known(p, account)
    if repeats:  # a whole model: its numbers come first
        _equations(p, account)
    _corollaries(p, account)
    _identities(p, account)
    configuration.section(p, account)
    evidence_of(p, account, account.quantities)
    conventions(p, account)
    _next(p, account)
    return p


def _largest(p: Page, account: Account, peak: Peak) -> AtMoment | None:
    """Show the moments of a peak; return the largest."""
    from symledger.report import peak as peaks

    return peaks.moments(p, account, peak)


def evidence_of(p: Page, account: Account, names: Sequence[str]) -> None:
    """What was compared: recorded of a definition, of a traced module found when it was traced."""
    if account.target.is_traced:
        from symledger.report import trace

        trace.section(p, account)
    else:
        compared(p, account, names)


def head(p: Page, account: Account) -> None:
    """Write the name, the choices and the sizes of a target, and what gave way."""
    target, assumed = account.target, account.assumed
    title = message("trace.title") if target.is_traced else target.title
    p.line((Verbatim(target.name), "bold cyan"), "   ", title)
    indent = " " * (min(len(target.name), 12) + 3)
    choices = [p.say(choice(n, v)).replace(" ", NBSP) for n, v in target.options.items()]
    if choices:
        p.wrapped(" · ".join(choices), len(indent), "dim")
    symbols, definitions = [], account.definitions
    for symbol in sorted(account.symbols.values(), key=lambda s: s.name):
        equation = assumed.equations.get(symbol)
        value = assumed.bindings.get(symbol)
        shown = "" if equation is None else f" = {algebra.text(equation)}"
        if equation is None and symbol in definitions:
            shown = f" = {scalar(definitions[symbol], {}, TEXT).text}"
        number = "" if value is None or shown == f" = {value}" else f" = {value:,}"
        symbols.append((symbol.name + shown + number).replace(" ", NBSP))
    for part in _fold(symbols, p.width - len(indent)):
        p.line(indent + part)
    reads = target.constructor.reads if target.constructor else ""
    for sentence in (*filter(None, [reads]), *account.dropped):
        p.wrapped(message("page.note", sentence=sentence), len(indent), "yellow")
    if account.target.is_traced:
        from symledger.report import trace

        trace.beyond(p, account, len(indent))


def _fold(items: list[str], width: int) -> list[str]:
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + 3 + len(item) > width:
            lines.append("")
        lines[-1] += ("   " if lines[-1] else "") + item
    return [line.replace(NBSP, " ") for line in lines]


def _equations(p: Page, account: Account) -> None:
    """What it computes, forward and backward, in index notation."""
    forward, backward = account.equations()
    for way, found in (("forward", forward), ("backward", backward)):
        if found:
            p.heading(message(f"page.{way}"))
            table = [[Verbatim(e), show_shape(e.shape, account.assumed.equations)] for e in found]
            p.table(table, ("", "dim"), set(), flexible=(0,), indent=4)
    if backward:
        p.line(("    " + p.say(message("page.gradients")), "dim"))


def tree(p: Page, account: Account, formula: Formula, depth: int) -> None:
    """The lines of a quantity, each with its formula, value and share."""
    found = list(rows(account, formula, depth))
    weights = any(row.weights for row in found) and formula.id.endswith(".params")
    table = [
        [joined((row.guide, row.label), ""), row.weights if weights else "",
         row.shape if weights else "", row.formula, row.value, row.share]
        for row in found
    ]  # fmt: skip
    head = ["", message("page.weights") if weights else "",
            message("page.shape") if weights else "", message("page.formula"),
            formula.unit if any(row.value for row in found) else "",
            message("page.share") if any(row.share for row in found) else ""]  # fmt: skip
    total = "" if formula.value is None else number(formula.value)
    whole = formula.text if not formula.divisor else ""
    table.append([message("page.total"), "", "", whole, total, ""])
    table.insert(0, head)
    at_moment = isinstance(formula, AtMoment)
    p.heading(message("peak.then") if at_moment else titled(formula.quantity))
    p.table(table, ("", "green", "dim", "", "cyan", "dim"), {4, 5}, flexible=(1, 2, 3))
    _leading(p, formula)


def titled(quantity: Quantity) -> Message:
    """Return the heading of a quantity: ``PARAMS: unique parameters``."""
    return message("page.quantity", name=quantity.name.upper(), meaning=quantity.meaning)


def _active(p: Page, account: Account) -> None:
    """How many parameters a token uses, where experts are chosen."""
    if "params.active" in account.quantities:
        f = account["params.active"]
        value = "" if f.value is None else f" = {number(f.value)}"
        p.wrapped(message("page.active", formula=f.text + value), 4, "cyan", first=2)


def _leading(p: Page, formula: Formula) -> None:
    lead = formula.leading
    if not lead or not lead.charged:
        return
    at = formula.assumed.bindings
    bound, main, error = lead.bound(at), algebra.value(lead.terms, at), formula.error
    most = lead.written(algebra.text)
    if bound is not None and main is not None and error is not None:
        said = message(
            "page.leading_here", leading=algebra.text(lead.terms), value=number(whole(main)),
            error=error_percent(error), bound=f"{most} = {error_percent(bound)}",
        )  # fmt: skip
    else:
        said = message("page.leading", leading=algebra.text(lead.terms), bound=most)
    p.wrapped(said, 2, "magenta")


def derivation(p: Page, formula: Formula, depth: int) -> None:
    """The steps of a quantity: formula, substituted, result."""
    p.heading(message("page.derivation"))
    last = ""
    for step in formula.opened_to(depth):
        shown = written(step.shown)
        if shown == last:
            continue
        last = shown
        p.wrapped(("= " if step.before else f"{formula.quantity.name} = ") + shown, 6, first=4)
        p.wrapped(step.reason, 8, "dim")
    if formula.divisor:
        below = algebra.text(formula.divisor.corollary_terms)
        said = message("page.divided", quantity=formula.divisor.quantity.name, formula=below)
        p.wrapped(said, 6, first=4)
    if formula.value is not None:
        numbers = substituted(formula)
        if numbers:
            p.wrapped("= " + numbers, 6, first=4)
            p.line(("        " + p.say(message("page.numbers_put_in")), "dim"))
        value = number(formula.value)
        if formula.text != value:
            sign = "" if value.startswith("≈") else "= "
            p.line(f"    {sign}", (value, "bold cyan"), " ", formula.unit)


def _corollaries(p: Page, account: Account) -> None:
    if not account.corollaries:
        return
    p.heading(message("page.cases"))
    for name, case in account.corollaries.items():
        p.line("    ", (words.case(name), "bold"), (f"   {', '.join(case.equations)}", "dim"))
        for quantity, form in case.forms.items():
            if form:
                p.wrapped(f"{quantity} = {algebra.text(form)}", 8, first=6)


def _identities(p: Page, account: Account) -> None:
    if account.identities:
        p.heading(message("page.identities"))
    for identity, here, there in account.identities:
        equations = ", ".join(e.replace("*", "") for e in here.equations)
        here_said = identity.quantity if not equations else message(
            "page.under", quantity=identity.quantity, equations=equations
        )
        p.wrapped(joined((here_said, there.said), ": "), 6, first=4)


MARKS = {"passed": ("✓", "green"), "failed": ("✗", "red"), "stale": ("?", "yellow")}


def compared(p: Page, account: Account, names: Sequence[str]) -> None:
    """One line for each kind of comparison; with one quantity asked for, each comparison."""
    p.heading(message("page.evidence"))
    records = {(r.kind, r.claim): r for name in names for r in account.evidence_for(name)}
    kinds: dict[tuple[Kind, str], list[evidence.Record]] = {}
    for r in records.values():
        kinds.setdefault((r.kind, r.status), []).append(r)
    for (kind, status), found in kinds.items():
        called: Text = kind_named(kind)
        if status != "passed":
            called = message("page.status", kind=called, status=message(f"page.{status}"))
        quantities = ", ".join(dict.fromkeys(r.quantity for r in found))
        points = len({str(point) for r in found for point in r.points})
        worst = max((r.worst for r in found), key=float)
        off = message("page.exact") if float(worst) == 0 else message("page.worst", worst=worst)
        p.line("    ", MARKS[status], " ", called,
               ("   " + p.say(message("page.points", n=points, deviation=off)), "dim"))  # fmt: skip
        p.wrapped(quantities, 6, "dim")
        for claim in dict.fromkeys(r.claim for r in found) if len(names) == 1 else ():
            p.wrapped(claim, 6)
    unchecked = [name for name in names if not account.evidence_for(name)]
    if unchecked:
        p.wrapped(message("page.unchecked", quantities=", ".join(unchecked)), 4, "dim")


def conventions(p: Page, account: Account) -> None:
    """How things are counted."""
    p.heading(message("page.conventions"))
    for name, meaning in account.counted.items():
        p.wrapped(joined((convention_named(name), meaning), ": "), 6, "dim", first=4)


def _next(p: Page, account: Account) -> None:
    name = account.request.target
    symbol = next(iter(sorted(account.symbols)), "d")
    p.heading(message("page.next"))
    if account.target.is_traced and not name.endswith(".json"):
        advise(p, f"symledger trace {name} … --save {account.target.owner}.trace.json",
               message("next.save"))  # fmt: skip
        return
    value = account.assumed.bindings.get(account.symbols.get(symbol)) or 64
    for command, why in (
        (f"symledger derive {name} --set {symbol}={2 * value}", message("next.size")),
        (f"symledger derive {name} --quantity memory.saved", message("next.quantity")),
        (f"symledger derive {name} --format latex", message("next.latex")),
        (f"symledger trace --verify {name} --set {symbol}={2 * value}", message("next.verify"))
        if account.target.is_traced else (f"symledger check {name}", message("next.check")),
        *cited(account),
    ):
        advise(p, command, why)


def advise(p: Page, command: str, why: str) -> None:
    """Add a command, and what it is for."""
    p.line("    ", (Verbatim(command), "bold"), ("   " + p.say(why), "dim"))


def cited(account: Account) -> list[tuple[str, Message]]:
    """How to cite the first formula of a target that is not nothing, where it has a tag."""
    named = next((name for name in account.quantities if account[name].general), "params")
    tag = account.tag(named)
    why = message("next.cite", formula=account[named].id)
    return [(f"symledger cite {tag}", why)] if tag else []
