"""Runs at many points made into one graph, in which every whole number is a formula."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from sympy import Add, Expr, Float, Integer, Rational, Symbol, floor, root, sqrt

from symledger.errors import BadInput
from symledger.traces.graph import Argument, Graph, Kind, Node, Ref
from symledger.traces.rules.images import windows_in
from symledger.tracing.folds.iterations import Loop
from symledger.tracing.modules.names import symbols_for
from symledger.tracing.runs.recording import Recording, Step
from symledger.tracing.spaces.borders import Border, Indivisible
from symledger.tracing.spaces.fit import Points
from symledger.tracing.spaces.points import Sample


class TwoSided(BadInput):
    """A length that is one argument or another one, whichever is less."""

    def __init__(self, border: Border) -> None:
        super().__init__(f"a length is another one unless {border}.")
        self.border = border


class Unfitted(BadInput):
    """A length that no polynomial gives at all points, and nothing that is rounded down.

    ``names`` are the sizes that it depends on, those first that may be kept as they are.
    """

    def __init__(self, said: str, names: Sequence[str]) -> None:
        super().__init__(said)
        self.names = tuple(names)


class Assembler:
    """Fits numbers, and names those that are no polynomials."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.points: Points = sample.points()
        self.definitions: dict[Symbol, Expr] = {}
        self.arguments: dict[str, Argument] = {}
        self.kinds: dict[Ref, Kind] = {}
        self.guessed: set[str] = set()
        """Sizes in quotients that were rounded down unheard, and found from their values alone."""

    def graph(self) -> Graph:
        """Return the graph of the runs."""
        runs = self.sample.runs
        numbers = iter(zip(*(run.numbers for run in runs), strict=True))
        reals = iter(zip(*(run.reals for run in runs), strict=True))
        return self._graph(runs[0].folded, numbers, reals)

    def _graph(
        self, recording: Recording, numbers: Iterator[tuple[int, ...]],
        reals: Iterator[tuple[float, ...]],
    ) -> Graph:  # fmt: skip
        around, self.kinds = self.kinds, {}
        nodes = tuple(
            self._node(i, step, numbers, reals) for i, step in enumerate(recording.steps)
        )
        self.kinds = around
        return Graph(nodes, recording.outputs)

    def _node(
        self, i: int, step: Step, numbers: Iterator[tuple[int, ...]],
        reals: Iterator[tuple[float, ...]],
    ) -> Node:  # fmt: skip
        def argument(x: Any) -> Argument:
            if isinstance(x, tuple):
                return tuple(map(argument, x))
            if isinstance(x, float):
                return self._real(next(reals))
            if isinstance(x, int) and not isinstance(x, bool):
                return self._whole(next(numbers), step)
            return x  # a reference, a truth, a word, or nothing

        self.arguments = arguments = {name: argument(x) for name, x in step.arguments.items()}
        results = tuple(
            Kind(tuple(self._whole(next(numbers), step) for _ in shape), kind)
            for shape, kind in step.results
        )
        self.kinds |= {Ref(i, r): kind for r, kind in enumerate(results)}
        node = Node(
            step.operation, arguments, results, step.path, step.line, within=step.within
        )  # fmt: skip
        if not isinstance(step, Loop):
            return node
        times = self._whole(next(numbers), step)
        body = self._graph(step.body, numbers, reals)
        return replace(node, times=times, body=body, beside=step.beside)

    def _whole(self, numbers: tuple[int, ...], step: Step) -> Expr:
        found = self.points.fit(numbers)
        if found is None:
            found = self._rounded(numbers, step)
        if found is None:
            between = self.sample.side(numbers)
            if between:
                raise TwoSided(between)
            raise Unfitted(
                f"a length in {step.operation} ({step.path or 'forward'}, {step.line}) is no "
                f"polynomial in the sizes, nor one that is rounded down: it is {numbers[0]} at "
                "first. Give it as an argument of its own.", self._deciding(numbers),
            )  # fmt: skip
        return found

    def _deciding(self, numbers: tuple[int, ...]) -> list[str]:
        """Return the sizes that numbers depend on: arguments, the smallest ones first."""
        space = self.sample.space
        found = {s.name for s in self.points.deciding(numbers)}
        own = [n for n in space.sizes if n in found and space.is_argument(n)]
        return sorted(own, key=space.base.__getitem__)

    def _rounded(self, numbers: tuple[int, ...], step: Step) -> Expr | None:
        """Return a new size that is an expression rounded down: one that was heard, or found."""
        for e in self.sample.space.rounded:
            if self.sample.valued(e) == numbers:
                return self._defined(numbers, e, step)
        for e in self._windows(step):
            if self.points.valued(e) == numbers:
                return self._defined(numbers, e, step) if e.has(floor) else e
        common = math.gcd(*numbers)
        combined = self.points.fit_with_defined(numbers)
        if combined is None:
            combined = self._padded(numbers, step)
        if combined is not None:
            return combined
        for places, whole in ((numbers, 1), (tuple(n // common for n in numbers), common)):
            for s, values in self.points.own_values():
                found = rounded(places, values)
                if found is not None:
                    (a, b), m = found
                    x = self.points.parts.get(s, s)
                    self.guessed |= {size.name for size in x.free_symbols}
                    return whole * self._defined(places, floor((a * x + b) / Integer(m)), step)
        return None

    def _padded(self, numbers: tuple[int, ...], step: Step) -> Expr | None:
        """Return a polynomial in how many pieces there are of a size that is no multiple of one."""
        for e in (b.pieces for b in self.sample.space.borders if isinstance(b, Indivisible)):
            pieces = self.sample.valued(e)
            symbol = self.points.fit(pieces) or self._defined(pieces, e, step)
            if isinstance(symbol, Symbol) and symbol in self.definitions:
                found = self.points.fit_with(symbol, numbers)
                if found is not None:
                    return found
        return None

    def _windows(self, step: Step) -> Iterator[Expr]:
        """Yield how many windows fit into each axis of what a convolution or a pooling is given."""
        given = self.arguments
        taken, weight = given.get("input", given.get("self")), given.get("weight")
        if "stride" not in given or not isinstance(taken, Ref):
            return
        kernel: Any = given.get("kernel_size")
        if kernel is None and isinstance(weight, Ref):
            kernel = self.kinds[weight].shape[2:]
        lengths = self.kinds[taken].shape
        for place, n in enumerate(lengths[-len(kernel or ()) :] if kernel else ()):
            k = kernel[place]
            s, p, r = (part(given.get(name), place, default) for name, default in (
                ("stride", k), ("padding", Integer(0)), ("dilation", Integer(1))
            ))  # fmt: skip
            yield windows_in(n, k, s, p, r)

    def _defined(self, numbers: tuple[int, ...], e: Expr, step: Step) -> Expr:
        """Name a size that others decide; what is whole in it stands outside."""
        whole, broken = apart(e)
        if whole != 0:
            rest = self.points.valued(broken)
            return whole + (self.points.fit(rest) or self._defined(rest, broken, step))
        given = self.sample.space
        e = e.xreplace({
            s: Integer(given.base[s.name]) for s in e.free_symbols
            if s.name in given.base and s.name not in given.sizes and s not in self.definitions
        })  # fmt: skip
        symbol = Symbol(named_size(step, e, {s.name for s in self.definitions} | self._taken))
        self.definitions[symbol] = e
        self.points.define(symbol, numbers, e.free_symbols)
        return symbol

    @cached_property
    def _taken(self) -> set[str]:
        """Names and symbols that stand for arguments."""
        own = {*self.sample.space.sizes, *self.sample.space.depths}
        return own | set(symbols_for(own, (), {}).values())

    def _real(self, values: tuple[float, ...]) -> Argument:
        """Return a float; one that follows from sizes, as a formula if it is a simple one."""
        if len(set(map(repr, values))) == 1:
            return values[0]
        for back, e in FORMS:
            whole, parts = exact([back(y) if y else math.inf for y in values])
            found = self.points.fit(whole) if whole else None
            if found is not None:
                return e(found / parts)
        return Float(values[0])


def apart(e: Expr) -> tuple[Expr, Expr]:
    """Return a quotient that is rounded down as a sum of whole sizes, and of what is rounded."""
    if not isinstance(e, floor):
        return Integer(0), e
    whole = [
        term for term in Add.make_args(e.args[0].expand())
        if term.free_symbols and term.is_polynomial() and term.as_coeff_Mul()[0].is_Integer
    ]
    rest = e.args[0].expand() - Add(*whole)
    return (Add(*whole), floor(rest)) if whole and rest.free_symbols else (Integer(0), e)


def part(argument: Any, place: int, default: Any) -> Any:
    """Return a setting of one axis: one number stands for all axes."""
    if argument is None or argument == ():
        return default
    if isinstance(argument, tuple):
        return argument[place] if len(argument) > place else argument[0]
    return argument


def exact(values: Sequence[float]) -> tuple[tuple[int, ...], int]:
    """Return floats as the fractions that they nearly are: numerators, and what they all are over.

    There are no numerators if one of them is no fraction of small numbers.
    """
    if any(not math.isfinite(v) or abs(v) > 2**50 for v in values):
        return (), 1
    found = [Fraction(v).limit_denominator(MOST_PARTS) for v in values]
    pairs = zip(values, map(float, found), strict=True)
    near = all(abs(v - n) <= 1e-9 * max(1.0, abs(n)) for v, n in pairs)
    parts = math.lcm(*(n.denominator for n in found))
    if not near or parts > MOST_PARTS:
        return (), 1
    return tuple(int(n * parts) for n in found), parts


def rounded(
    numbers: Sequence[int], values: Sequence[int]
) -> tuple[tuple[int, int], int] | None:
    """Return ((a, b), m) with ⌊(a·x + b)/m⌋ equal to every number at its value x; or None."""
    pairs = sorted(set(zip(values, numbers, strict=True)))
    if len({x for x, _ in pairs}) < len(pairs) or len(pairs) < 6:
        return None
    (x0, y0), (x1, y1) = pairs[0], pairs[-1]
    for m in (*range(2, 65), *(96 * k for k in range(1, 17)), *(128 * k for k in range(1, 9))):
        middle = round(m * (y1 - y0) / (x1 - x0))
        for a in range(max(1, middle - 2), middle + 3):
            low = max(m * y - a * x for x, y in pairs)
            high = min(m * y + m - 1 - a * x for x, y in pairs)
            if low <= high:
                usual = (b for b in (0, m - 1, m // 2) if low <= b <= high)
                return (a, next(usual, low)), m
    return None


MOST_PARTS = 1000
"""The largest denominator of a fraction that a float is taken for: of ``alpha / r``, or so."""
Form = tuple[Callable[[float], float], Callable[[Expr], Expr]]
FORMS: tuple[Form, ...] = (
    (lambda y: y, lambda p: p), (lambda y: 1 / y, lambda p: 1 / p),
    (lambda y: y * y, lambda p: sqrt(p)), (lambda y: 1 / (y * y), lambda p: 1 / sqrt(p)),
    (lambda y: y**4, lambda p: root(p, 4)), (lambda y: 1 / y**4, lambda p: 1 / root(p, 4)),
)  # fmt: skip
"""How a whole number is got from a float, and the float from its formula."""
FEED_FORWARD = re.compile(r"(^|[._])(mlp|ffn?|feed_?forward|fc1|up_proj|gate_proj|w1)($|[._])")


def named_size(step: Step, e: Expr, taken: set[str]) -> str:
    """Name a size that others decide: as the field does where it is clear, else by a number."""
    inner = step.operation == "weight" and FEED_FORWARD.search(str(step.arguments["name"]))
    if inner and "d_ff" not in taken:
        return "d_ff"
    of = {s.name.partition("_")[0] for s in e.free_symbols}
    letter = of.pop() if len(of) == 1 and of <= {"H", "W", "D", "T"} else "n"
    return next(n for i in range(1, len(taken) + 2) if (n := f"{letter}_{i}") not in taken)


def valued(e: Expr, at: Mapping[Symbol, int]) -> Expr:
    """Return an expression with numbers for its sizes."""
    found = e.xreplace({s: Integer(n) for s, n in at.items()})
    return Rational(found) if found.is_Rational else found
