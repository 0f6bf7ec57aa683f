"""The answer to `symledger explain`: what gives a number, what nearly does, what is close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

from symledger import algebra
from symledger.accounts.gc_pause import uncollected
from symledger.algebra import Terms
from symledger.explain.branch import LINE, WHOLE, Where
from symledger.explain.index.checkpoint_sizes import known
from symledger.explain.index.known import Known
from symledger.explain.index.readings import ITSELF
from symledger.explain.index.table import AmountRow, Table
from symledger.explain.match import NEAR, Match, symbols
from symledger.explain.number import UNITS, Number, parse_number
from symledger.explain.parts import Part, where
from symledger.explain.search import MOST, SHOWN, search
from symledger.explain.tables import nearest, tables
from symledger.languages.message import Message, Text, Verbatim, message

SCHEMA = "symledger.explain/1"
FAR = 3.25
"""How far in rank from the best match of an exact number others are shown."""
COMMON, CLEAR = 60, 1
"""A number that more formulas give than this says little by itself, unless one ranks below this."""
OTHERWISE = 2
"""What it adds to a rank that a number counts something else than parameters, unless it says so."""
DOUBTFUL = 7
"""Where the best rank is worse than this, the nearest numbers are shown too."""
HINTS = {
    "d": "hint.bias_or_norm", "2d": "hint.layer_norm", "4d": "hint.two_layer_norms",
    "Vd": "hint.embedding", "T_max·d": "hint.positions",
}  # fmt: skip
"""What is often counted or forgotten."""


@dataclass(frozen=True)
class Explanation:
    """Where a number comes from.

    ``gives`` are the matches that are shown, ``near`` the common mistakes that lead to it,
    ``omitted`` how many less plausible ones there are (at least, of a rounded number); ``nearest``
    is filled where nothing fits well. ``looked`` are the units as which the number was looked for,
    and ``otherwise`` the answers in other ones that are clearly more plausible.
    """

    number: Number
    inside: str
    settings: Mapping[str, str]
    gives: tuple[Match, ...]
    near: tuple[Match, ...]
    omitted: int
    same: tuple[str, ...]
    occurs: tuple[tuple[str, str], ...]
    nearest: tuple[AmountRow, ...] = ()
    looked: tuple[str, ...] = ()
    otherwise: tuple[Explanation, ...] = ()

    @property
    def rank(self) -> float:
        """The rank of the most plausible answer; of none, infinity."""
        return self.sections[0][0].rank if self.sections else inf

    @property
    def sections(self) -> list[tuple[Match, ...]]:
        """What gives the number and what nearly does, the more plausible first."""
        filled = [matches for matches in (self.gives, self.near) if matches]
        return sorted(filled, key=lambda matches: matches[0].rank)

    @property
    def common(self) -> bool:
        """Whether many formulas of the catalogue give the number, and none of them at first sight.

        A whole component at known sizes does so; what is asked about one target, or with sizes set,
        is narrowed down already.
        """
        count = len(self.gives) + len(self.near) + self.omitted
        narrowed = self.inside or self.settings
        return count > COMMON and not narrowed and self.sections[0][0].rank >= CLEAR

    def to_dict(self) -> dict[str, Any]:
        """Return the promised JSON object."""
        return {
            "schema": SCHEMA,
            "number": self.number.text,
            "unit": self.number.unit,
            "read": self.number.read or None,
            "looked_for_as": list(self.looked),
            "otherwise": [
                {"unit": other.number.unit, "gives": [match_dict(m) for m in other.gives],
                 "near": [match_dict(m) for m in other.near], "omitted": other.omitted}
                for other in self.otherwise
            ],
            "low": str(self.number.low),
            "high": str(self.number.high),
            "in": self.inside or None,
            "settings": dict(self.settings),
            "found": bool(self.gives or self.near),
            "gives": [match_dict(m) for m in self.gives],
            "near": [match_dict(m) for m in self.near],
            "omitted": self.omitted,
            "common": self.common,
            "same": list(self.same),
            "occurs": [{"target": name, "line": line} for name, line in self.occurs],
            "nearest": [
                {"value": str(row.value), "what": str(row.part), "at": row.known.name,
                 "difference": str(self.number.about - row.value),
                 "said": difference(self.number.about - row.value, row)}
                for row in self.nearest
            ],
        }  # fmt: skip


def explain(
    text: str, inside: str = "", settings: Mapping[str, str] | None = None, unit: str = ""
) -> Explanation:
    """Explain a number.

    Args:
        text: the number as it was read: ``2,362,368``, ``124M``, ``9.01 MiB``.
        inside: a target, to look only in it; without one, in all of the catalogue.
        settings: sizes and choices that are known, by name.
        unit: parameters, bytes or flop; parameters unless told by this or by the number's unit.

    Raises:
        SymledgerError: the number, the target or what was set cannot be used.

    >>> str(explain("2362368").gives[0].parts[0])
    'attention with bias'
    """
    number, settings = parse_number(text, unit), settings or {}
    with uncollected():
        (table,) = tables([number], inside, settings)
        found = replace(_answer(number, inside, settings, table), looked=(number.unit,))
        if not number.stated and found.rank > OTHERWISE:
            found, table = _in_any_unit(found, table)
        doubtful = found.rank > DOUBTFUL
        return replace(found, nearest=tuple(nearest(table, found.number)) if doubtful else ())


def _in_any_unit(found: Explanation, searched: Table) -> tuple[Explanation, Table]:
    """Look for a number as what it may count beside parameters, for its unit was not said.

    Where no parameters give it, the most plausible answer in another unit is the answer; where some
    do, it is told beside it. In the catalogue that is all of a target, at known sizes.
    """
    inside, settings = found.inside, found.settings
    others = [replace(found.number, unit=unit) for unit in UNITS if unit != found.number.unit]
    answers = [
        (_answer(number, inside, settings, table), table) for number, table in
        zip(others, tables(others, inside, settings, plain=not inside), strict=True)
    ]  # fmt: skip
    better = [one for one in answers if one[0].rank + OTHERWISE < found.rank]
    better.sort(key=lambda one: one[0].rank)
    first, table = (found, searched) if found.sections or not better else better.pop(0)
    otherwise = tuple(answer for answer, _ in better)
    return replace(first, looked=UNITS, otherwise=otherwise), table


def _answer(number: Number, inside: str, settings: Mapping[str, str], table: Table) -> Explanation:
    found, omitted = search(table, number)
    told = [m for m in found if not m.near or number.exact or m.mistake]
    limit = (told[0].rank if told else 0) + (FAR if number.exact else SHOWN)
    gives = [m for m in told if not m.near and m.rank < limit][:MOST]
    best = gives[0].rank + NEAR - 1 if gives else limit
    near = [m for m in told if m.near and m.rank <= best][: MOST // 2]
    return Explanation(
        number, inside, settings, tuple(gives), tuple(near),
        len(found) - len(gives) - len(near) + omitted,
        tuple(same(gives)), () if inside else tuple(dict.fromkeys(occurs(table, number))),
    )  # fmt: skip


def occurs(table: Table, number: Number) -> Iterator[tuple[str, str]]:
    """Yield the lines of models that amount to the number at the size of a known one.

    Those of families that most people know come first.
    """
    found: list[tuple[Part, Known]] = []
    for asked in table.asked:
        if asked.quantity == "params" and number.unit != "parameters":
            continue
        rows = table.occurring(asked, number.low, number.high)
        found += [(row.part, known) for row in rows for known, _ in row.points]
    order = {k.name: i for i, k in enumerate(known())}
    found.sort(key=lambda each: (order.get(each[1].name, 0), table.order[each[0]]))
    for part, one in found:
        yield one.name, part.typed(where(part.said) or message("explain.all_of_it"))


def same(found: Sequence[Match]) -> Iterator[Message]:
    """Say which of several formulas are one polynomial, and under which equations."""
    plain = [match for match in found if match.reading is ITSELF]
    for one in plain:
        for other in plain if len(one.sizes) == 1 else ():
            equations = _equations(one, other) if len(other.sizes) > 1 else None
            if equations is not None:
                said = ", ".join(f"{s} = {algebra.text(p)}" for s, p in equations.items())
                (symbol,) = one.sizes
                yield message(
                    "explain.same_with", this=other.parts[0].words, equations=said,
                    other=one.parts[0].words, formula=factored(one.form), symbol=str(symbol),
                )  # fmt: skip


def _equations(one: Match, other: Match) -> dict[Any, Terms] | None:
    """Return the equations that make another formula the same polynomial, None if there are none.

    Where its sizes are whole multiples of the one size here, they are put in so, and the two are
    compared term by term.
    """
    (symbol,) = symbols(one.form)
    n = one.sizes[symbol.name]
    if any(v % n for v in other.sizes.values()) or other.sizes.get(symbol.name, n) != n:
        return None
    given: dict[Any, Terms] = {
        s: algebra.scale(other.sizes[s.name] // n, algebra.variable(symbol))
        for s in sorted(symbols(other.form), key=str)
    }
    equal = algebra.substitute(other.form, given) == one.form
    return {s: p for s, p in given.items() if s != symbol} if equal else None


def factored(polynomial: Terms) -> str:
    """Write a polynomial with its greatest common number in front: ``4(d² + d)``."""
    from math import gcd

    numbers = list(polynomial.values())
    common = gcd(*map(int, numbers)) if all(c.denominator == 1 for c in numbers) else 1
    if common == 1 or len(polynomial) == 1:
        return algebra.text(polynomial)
    return f"{common}({algebra.text({m: Fraction(c) / common for m, c in polynomial.items()})})"


def difference(n: int, row: AmountRow) -> Text:
    """Say a difference in the sizes at hand, where it is a small multiple of a product of two."""
    found = [(s.name, row.sizes[s.name]) for s in sorted(symbols(row.form), key=str)]
    products = [*found, *((f"{a}{'·' * (len(a + b) > 2)}{b}" if a != b else f"{a}²", x * y)
                          for i, (a, x) in enumerate(found) for b, y in found[i:])]  # fmt: skip
    for often in range(1, 14):
        for name, size in products:
            if size > 1 and abs(n) == often * size:
                said = f"{often if often > 1 else ''}{name}"
                if said not in HINTS:
                    return Verbatim(said)
                return message("explain.hint", amount=said, what=message(f"{HINTS[said]}"))
    return Verbatim("")


def match_dict(match: Match) -> dict[str, Any]:
    """Return the JSON object of a match; whole numbers travel as strings."""
    part: Part = match.parts[0]
    return {
        "formula": f"{part.variant.family}.{part.quantity}",
        "dtype": part.asked.dtype,
        "target": part.variant.name,
        "options": {name: str(v).lower() for name, v in part.variant.changed},
        "assume": list(part.variant.assumed),
        "kind": part.kind,
        "what": str(part),
        "expr": algebra.canonical(match.form),
        "sizes": {name: str(n) for name, n in match.sizes.items()},
        "value": str(match.value),
        "reading": match.reading.said,
        "factor": str(match.reading.factor),
        "symbol": match.reading.symbol or None,
        "mistaken": match.mistaken,
        "gives": str(match.number),
        "known": match.known,
        "also": others(match),
    }


def others(match: Match) -> list[Text]:
    """Name what else has the formula of a match: each thing once, with the fewest choices."""
    found: dict[tuple[str, Where], Text] = {}
    asked = match.parts[0].variant.asked
    for part in match.parts:
        if asked or part.kind in (WHOLE, LINE, match.parts[0].kind):
            found.setdefault((part.variant.name, part.said), part.words)
    return [said for said in dict.fromkeys(found.values()) if said != str(match.parts[0])]
