"""What was asked for: the request as it was said, and read for a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from sympy import Expr, Symbol

from symledger.algebra.assumptions import Assumed, check_lengths
from symledger.algebra.parsing import least, parse_equation, parse_size
from symledger.catalogue.options import parse_option
from symledger.errors import BadInput, nearest, shown
from symledger.ir.tensor import Program
from symledger.ledger import recipes
from symledger.ledger.conventions import Conventions
from symledger.ledger.peaks import PROGRAM, SCHEDULES
from symledger.notation.recompute import NONE
from symledger.readings.flops import Causal
from symledger.sizes import BY_NAME
from symledger.targets.target import Target


@dataclass(frozen=True)
class Request:
    """What was asked for, as it was said, so that it can be asked again with a change.

    Settings and conventions are with those of the ``recipe``, where one was named.
    """

    target: str
    settings: Mapping[str, str]
    equations: tuple[str, ...]
    conventions: Conventions
    recipe: str | None = None
    recompute: str = NONE
    lora: str = ""
    schedule: str = PROGRAM


def requested(
    target: str, settings: Mapping[str, Any] | None = None, assume: Iterable[str] = (),
    dtype: str | None = None, optimizer: str | None = None, causal: Causal | None = None,
    input_gradient: bool | None = None, frozen: Iterable[str] | None = None,
    recipe: str | None = None, recompute: str | None = None, gradients: str | None = None,
    counters: bool | None = None, weights: str | None = None, step: str | None = None,
    first: bool | None = None, accumulate: bool | None = None, lora: str | None = None,
    schedule: str | None = None, cache: str | None = None, products: str | None = None,
) -> Request:  # fmt: skip
    """Take down what was asked for, as ``derive`` takes it: a recipe is weaker than all else."""
    taken = recipes.recipe(recipe)
    said = {name: recipes.spelled(value) for name, value in (settings or {}).items()}
    given = {"dtype": dtype, "optimizer": optimizer, "causal": causal,
             "input_gradient": input_gradient, "gradients": gradients, "counters": counters,
             "weights": weights, "cache": cache, "products": products, "step": step, "first": first,
             "accumulate": accumulate,
             "frozen": None if frozen is None else _several(frozen)}  # fmt: skip
    own = {name: value for name, value in given.items() if value is not None}
    if lora and frozen is not None:
        raise BadInput("with --lora nothing but the adapters is trained: leave out --freeze.")
    only = {"frozen": ("*",)} if lora else {}
    conventions = Conventions(**{**taken.conventions, **own, **only})
    if schedule not in (None, *SCHEDULES):
        raise BadInput(f"{shown(schedule)} is not a known schedule. {nearest(schedule, SCHEDULES)}")
    return Request(target, {**taken.choices, **said}, _several(assume), conventions, recipe,
                   recompute or NONE, lora or "", schedule or PROGRAM)  # fmt: skip


def _several(texts: Iterable[str]) -> tuple[str, ...]:
    """Take one text where several may stand."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


def chosen(target: Target, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options among settings, read."""
    names = settings.keys() & target.choices.keys()
    return {name: parse_option(target.choices, name, settings[name]) for name in sorted(names)}


def read_equations(
    equations: Iterable[str], symbols: dict[str, Symbol]
) -> list[tuple[Symbol, Expr]]:
    """Read equations; ``symbols`` gain those that only these mention."""
    given = [parse_equation(text, symbols, BY_NAME) for text in equations]
    for _, e in given:
        symbols.update({symbol.name: symbol for symbol in e.free_symbols})
    return given


def read_sizes(
    target: Target, settings: Mapping[str, str], symbols: Mapping[str, Symbol]
) -> dict[Symbol, int]:
    """Return the sizes among settings, read.

    Raises:
        BadInput: a setting is neither a symbol nor an option, or its value is no size.
    """
    sizes: dict[Symbol, int] = {}
    for name, text in settings.items():
        if name in target.choices:
            continue
        if name not in symbols:
            raise BadInput(
                f"{shown(name)} is neither a symbol nor an option of {shown(target.name)}. "
                + nearest(name, [*symbols, *target.choices])
            )
        sizes[symbols[name]] = parse_size(name, text, least(symbols[name]))
    return sizes


def check_sizes(program: Program, assumed: Assumed) -> None:
    """Refuse sizes at which some axis of a program would be no whole number long."""
    lengths = (n for n in program.lengths if n not in program.averages)
    check_lengths(lengths, program.bounds, assumed, program.numbers)


def check_frozen(patterns: Iterable[str], program: Program) -> None:
    """Refuse a pattern of frozen weights that no weight is named by."""
    names = [body.path(weight) for body in program.bodies for weight in body.params]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise BadInput(f"no weight is named {shown(pattern)}. {nearest(pattern, names)}")
