"""A trace read from JSON that anybody may have written: every piece is checked, none evaluated.

References lead backwards only, formulas are parsed by our own parser over the sizes that the file
names, and there is a bound on how many of anything there may be. What an operation means is for the
rules to say, when the trace is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sympy import Expr

from symledger.errors import BadInput, nearest, shown
from symledger.sizes import Size, named
from symledger.traces.alive import FIRST, KINDS, LAST, WAYS, AliveAt, Eager, How
from symledger.traces.checked import WITHHELD, Checked
from symledger.traces.formulas import Formulas
from symledger.traces.graph import (
    RELATIONS,
    Argued,
    Condition,
    Traced,
)
from symledger.traces.graph_reading import (
    MOST_SIZES,
    OPERATION,
    Reader,
    formula,
    several,
)
from symledger.traces.places import NAME, NUMBER, Place, parsed
from symledger.traces.seal import check_seal
from symledger.traces.writing import SCHEMA

MOST_POINTS, MOST_MOMENTS = 1_000, 5_000
KEYS = ("schema", "version", "torch", "name", "source", "training", "sizes", "names", "definitions",
        "fixed", "points", "checks", "effects", "custom", "conditions", "eager",
        "graph", "seal")  # fmt: skip


def loaded(content: bytes, where: str) -> Traced:
    """Read a trace.

    Raises:
        BadInput: it is damaged, was edited, or is no trace; the message says where in it.
    """
    try:
        return _traced(Place(parsed(content)))
    except BadInput as error:
        raise BadInput(f"{shown(where)} cannot be read as a trace: {error}") from error


def _traced(top: Place) -> Traced:
    schema = top["schema"].text()
    if schema != SCHEMA:
        top["schema"].refuse(f"{shown(schema)} is not {SCHEMA}: another version wrote this file, "
                             "or it is no trace.")  # fmt: skip
    top.only(*KEYS)
    check_seal(top.object())
    sizes = {name: x.whole(1) for name, x in top["sizes"].items(MOST_SIZES)}
    defined = [name for name, _ in top["definitions"].items(MOST_SIZES)]
    for name in defined:
        if name in sizes:
            top["definitions"][name].refuse("it has a value of its own among the sizes.")
    symbols = {name: symbol(top, name) for name in (*sizes, *defined)}
    formulas = Formulas(symbols)
    return Traced(
        name=_name(top["name"]),
        source=top["source"].text(1_000),
        graph=Reader(formulas).graph(top["graph"], ()),
        sizes=sizes,
        names={k: x.text() for k, x in top["names"].items(MOST_SIZES) if _known(x, k, sizes)},
        definitions=_definitions(top["definitions"], sizes, formulas),
        fixed=tuple(Argued(*_fixed(x)) for x in _pairs(top["fixed"])),
        training=top["training"].truth(),
        points=tuple(_point(p, sizes) for p in top["points"].list(MOST_POINTS)),
        torch=top["torch"].text(),
        checks=tuple(map(_checked, top["checks"].list(MOST_SIZES))),
        effects=_noted(top, "effects"), custom=_noted(top, "custom"),
        conditions=tuple(_conditions(top, sizes)),
        eager=tuple(_eager(x, sizes, formulas) for x in several(top, "eager")),
    )


def eager_of(data: Any, sizes: Mapping[str, Any], formulas: Formulas) -> Eager:
    """Read what is in memory when from JSON data, of some sizes.

    Raises:
        BadInput: it is not written as such.
    """
    return _eager(Place(data), sizes, formulas)


def _eager(place: Place, sizes: Mapping[str, int], formulas: Formulas) -> Eager:
    """Read what is in memory when."""
    place.only("input_gradient", "accumulate", "dtype", "serving", "cache", "least", "apart",
               "every", "moments")  # fmt: skip
    least = {k: x.whole(0) for k, x in place["least"].items(MOST_SIZES) if _known(x, k, sizes)}
    moments = tuple(_moment(x, formulas) for x in place["moments"].list(MOST_MOMENTS))
    apart = tuple(_pair(x, sizes) for x in place["apart"].list(MOST_SIZES))
    how = How(
        place["input_gradient"].truth(),
        place.has("accumulate") and place["accumulate"].truth(),
        place["dtype"].text() if place.has("dtype") else "fp32",
        place["serving"].text() if place.has("serving") else "",
        place["cache"].text() if place.has("cache") else "",
    )
    every = place["every"].items(MOST_SIZES) if place.has("every") else ()
    return Eager(how, moments, least, apart,
                 {k: _one_of(x) for k, x in every if _known(x, k, sizes)})  # fmt: skip


def _one_of(place: Place) -> tuple[int, int]:
    parts = [part.whole(0) for part in place.list(2)]
    if len(parts) != 2 or 0 < parts[0] <= parts[1]:
        place.refuse("how many depths one is meant of, and which, are expected.")
    return parts[0], parts[1]


def _pair(place: Place, sizes: Mapping[str, int]) -> tuple[str, str]:
    parts = [part.text() for part in place.list(2)]
    if len(parts) != 2 or not set(parts) <= sizes.keys():
        place.refuse("two sizes of this trace are expected.")
    return parts[0], parts[1]


def _moment(place: Place, formulas: Formulas) -> AliveAt:
    parts = place.list(5)
    if len(parts) != 5:
        place.refuse("a pass, an operation, a path, which round, and bytes by kind are expected.")
    way, operation, path, which = (part.text(500) for part in parts[:4])
    if way not in WAYS or which not in ("", FIRST, LAST) or not OPERATION.fullmatch(operation):
        place.refuse("that is no moment of a step.")
    kinds = {k: formula(x, formulas) for k, x in parts[4].items(len(KINDS))}
    if not kinds.keys() <= set(KINDS):
        parts[4].refuse(f"the kinds of what is in memory are {', '.join(KINDS)}.")
    return AliveAt(way, operation, path, which, kinds)


def _conditions(top: Place, sizes: Mapping[str, int]) -> Iterator[Condition]:
    """Read how sizes stand to others, where that matters."""
    for place in top["conditions"].list(MOST_SIZES) if top.has("conditions") else ():
        parts = [part.text() for part in place.list(3)]
        sides = [part for part in parts[::2] if not NUMBER.fullmatch(part)]
        if len(parts) != 3 or not sides or not set(sides) <= sizes.keys():
            place.refuse("two sizes of this trace are expected, and what stands between them.")
        if parts[1] not in RELATIONS:
            place.refuse(f"{shown(parts[1])} is none of {', '.join(RELATIONS)}.")
        found = Condition(*parts)
        if not found.holds(sizes):
            place.refuse(f"{found} does not hold of the sizes of this trace.")
        yield found


def _noted(top: Place, key: str) -> tuple[Argued, ...]:
    """Read names with what goes with them, where there are any."""
    found = []
    for place in top[key].list(1_000) if top.has(key) else ():
        parts = place.list(2)
        if len(parts) != 2:
            place.refuse("a name, and what goes with it, are expected.")
        found.append(Argued(parts[0].text(500), parts[1].text(500)))
    return tuple(found)


def symbol(top: Place, name: str) -> Size:
    """Return the symbol of a size."""
    if name in ("None", "True", "False"):
        top["sizes"].refuse(f"{name} is no name of a size.")
    return named(name)


def _name(place: Place) -> str:
    if not NAME.fullmatch(place.text()):
        place.refuse("the name of a class is expected.")
    return place.text()


def _pairs(place: Place) -> list[tuple[str, Place]]:
    """The arguments that are no sizes: their names may have dots."""
    if len(place.object()) > 1_000:
        place.refuse("it holds more than 1,000 entries.")
    return [(key, place[key]) for key in place.data]


def _fixed(pair: tuple[str, Place]) -> tuple[str, str]:
    name, place = pair
    if len(name) > 200 or not name.isprintable():
        place.refuse("that is no name of an argument.")
    return name, place.text(100_000)


def _known(place: Place, name: str, sizes: Mapping[str, int]) -> bool:
    if name not in sizes:
        place.refuse(f"{name} is no size of this trace. {nearest(name, sizes)}")
    return True


def _definitions(
    place: Place, sizes: Mapping[str, int], formulas: Formulas
) -> dict[str, Expr]:
    """Read the sizes that others decide: each by those that have values, or were defined before."""
    found: dict[str, Expr] = {}
    for name, inner in place.items(MOST_SIZES):
        found[name] = e = formula(inner, formulas)
        early = {s.name for s in e.free_symbols} - sizes.keys() - found.keys() | (
            {name} & {s.name for s in e.free_symbols}
        )
        if early:
            inner.refuse(f"it is defined by {', '.join(sorted(early))}, which is not known before.")
    return found


def _point(place: Place, sizes: Mapping[str, int]) -> dict[str, int]:
    found = {name: x.whole(0) for name, x in place.items(MOST_SIZES) if _known(x, name, sizes)}
    lacking = sorted(sizes.keys() - found.keys())
    if lacking:
        place.refuse(f"it has no value for {', '.join(lacking)}.")
    return found


def _checked(place: Place) -> Checked:
    place.only("quantity", "claim", "points", "worst", "passed", "detail")
    quantity = place["quantity"].text()
    if quantity not in WITHHELD:
        place["quantity"].refuse(f"{shown(quantity)} is not checked. {nearest(quantity, WITHHELD)}")
    return Checked(
        quantity, place["claim"].text(1_000), place["points"].whole(), place["worst"].text(),
        place["passed"].truth(), place["detail"].text(2_000),
    )  # fmt: skip
