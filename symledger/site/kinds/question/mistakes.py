"""Numbers that are met as answers and count something else: each made here, from the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from symledger import algebra
from symledger.accounts.account import Account
from symledger.algebra import Terms
from symledger.algebra.parsing import parse_expression
from symledger.languages.message import message
from symledger.printing.rows import percent
from symledger.printing.units import BINARY, DECIMAL
from symledger.site.html import maths
from symledger.site.text.questions import Question


@dataclass(frozen=True)
class Mistake:
    """A number, how far it is from the answer, and what it counts.

    ``form`` is how it is counted, where that is a formula.
    """

    why: str
    value: str
    off: str
    form: Markup | None = None


def mistakes(question: Question, account: Account, terms: Terms) -> Iterator[Mistake]:
    """Yield the numbers that a question is often answered with, and that are not its answer."""
    at = account.assumed.bindings
    right = algebra.value(terms, at)
    assert right is not None
    for wrong in question.wrong:
        e = parse_expression(wrong.said, account.symbols)
        value = algebra.value(algebra.terms(e), at)
        assert value is not None
        assert value != right, f"{wrong.said} is right"
        yield _mistake(wrong.why, value, right, maths.inline(algebra.terms(e)))
    for kind, value in _usual(question, account, right):
        if value != right:
            yield _mistake(message(f"mistake.{kind}"), value, right)
    if account[question.quantities[0]].unit == "bytes":
        yield from _misread(right)


def _mistake(
    why: str, value: Fraction, right: Fraction, form: Markup | None = None
) -> Mistake:
    off = (value - right) / right
    sign = "+" if off > 0 else "−"
    return Mistake(why, f"{int(value):,}", f"{sign}{percent(abs(off))}", form)


def _usual(question: Question, account: Account, right: Fraction) -> Iterator[tuple[str, Fraction]]:
    """What is often counted instead, by what was asked."""
    sizes = {s.name: n for s, n in account.assumed.bindings.items()}
    match question.ask:
        case "params" | "part" if "h" in sizes and question.of.startswith("MultiheadAttention"):
            yield "heads", right * sizes["h"]
        case "params" if account.target.options.get("tied"):
            yield "untied", _params(account, tied="false")
        case "params" if account.target.options.get("tied") is False:
            yield "tied", _params(account, tied="true")
        case "active":
            yield "all", _exact(account, "params")
        case "adapters":
            yield "weights", _exact(account, "memory.parameters")
        case "training":
            yield "no_gradients", right - _exact(account, "memory.gradients")
            yield "weights", _exact(account, "memory.parameters")
        case "kv_cache":
            yield "keys_only", right / 2
            if sizes.get("h_kv", sizes["h"]) != sizes["h"]:
                yield "all_heads", right * sizes["h"] / sizes["h_kv"]
        case "flops":
            yield "macs", right / 2
            if "T" in sizes and not question.is_layer:
                name = "params.active" if "params.active" in account.quantities else "params"
                yield "two_per_parameter", 2 * _exact(account, name)


def _params(account: Account, **options: str) -> Fraction:
    from symledger.accounts.account import derive

    return _exact(derive(account.target.name, options), "params")


def _exact(account: Account, quantity: str) -> Fraction:
    found = account[quantity].exact
    assert found is not None
    return found


def _misread(right: Fraction) -> Iterator[Mistake]:
    """The number of binary units with the name of decimal ones: ``12.55 GB``."""
    for (unit, _), (power, name) in zip(BINARY, DECIMAL, strict=True):
        if right >= unit:
            value = Fraction(f"{float(right / unit):.4g}") * power
            off = percent((right - value) / right)
            yield Mistake(message("mistake.unit"), f"{float(right / unit):.4g} {name}", f"−{off}")
            return
