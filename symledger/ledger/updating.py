"""The values of an optimizer's step, weight by weight or list by list: moments, and their bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from sympy import Expr, Integer

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.algebra.comparing import is_at_most
from symledger.errors import BadInput
from symledger.ir.tensor import Call, Program, Tensor
from symledger.ledger.conventions import Conventions
from symledger.ledger.states import is_hidden_matrix, price
from symledger.ledger.updates import UPDATES, Made, Size, Update, run
from symledger.readings.params import Price, is_trained, trained_states
from symledger.readings.tally import Amount, Tally

ZERO = Integer(0)
Weight = tuple[Program, Tensor]
Several = Literal["all", "matrices", "vectors", "rest"]
"""Weights whose values are made at once: ``rest`` are those that are no hidden matrices."""
Of = Tensor | Several


@dataclass(frozen=True)
class Updated:
    """A moment: a weight or the whole that is updated, what is made, and which states there are."""

    at: Tensor
    made: Tally
    states: Tally | None


class Updating:
    """What an optimizer's step makes of the trained weights of a program, run in some way."""

    def __init__(
        self, program: Program, conventions: Conventions, way: str, few: Mapping[Expr, int],
        assumed: Assumed,
    ) -> None:  # fmt: skip
        self.program, self.conventions, self.way = program, conventions, way
        self.update = UPDATES.get(conventions.optimizer, Update("", ""))
        self.assumed = assumed
        self.weights = tuple(_walk(program, conventions.frozen, few))
        self._decided: list[Terms] = []

    @property
    def conditions(self) -> tuple[Terms, ...]:
        """What must not be negative for this to hold."""
        return tuple(self._decided)

    def moments(self) -> Iterator[Updated]:
        """Yield the moments that may be the largest."""
        rest = [w for w in self.weights if not self._apart(w)]
        if self.update.matrices is not None:
            hidden = [w for w in self.weights if self._apart(w)]
            yield from self._loop(hidden, self.update.matrices, self._states(self._apart))
        states = self._states(lambda _: True)
        if self.way == "single":
            yield from self._loop(rest, self.update, states)
        else:
            yield from self._lists(rest, states)

    def _apart(self, weight: Weight) -> bool:
        """Whether a weight is updated by an optimizer of its own."""
        return self.update.matrices is not None and is_hidden_matrix(*weight)

    def _states(self, counted: Callable[[Weight], bool]) -> Tally | None:
        """The states of some weights, where they are not there throughout: in a first step."""
        if self.update.matrices is None or not self.conventions.first:
            return None
        kept = price(self.conventions)
        return self._each(lambda *weight: kept(*weight) if counted(weight) else ZERO)

    def _each(self, of: Price) -> Tally:
        return trained_states(self.program, self.conventions.frozen, of)

    def _loop(
        self, weights: Sequence[Weight], update: Update | str, states: Tally | None
    ) -> Iterator[Updated]:  # fmt: skip
        """Yield moments of weights that are updated one after the other."""
        left: dict[str, Made[Of]] = {}
        seen: set[frozenset[tuple[Made[Of], int]]] = set()
        for _, weight in weights:
            for made in run(self._steps(update, weight), weight, left):
                counted = frozenset(Counter(made).items())
                if counted not in seen:
                    seen.add(counted)
                    yield Updated(weight, self._tally(made), states)

    def _steps(self, update: Update | str, weight: Tensor) -> str:
        if isinstance(update, str):
            return update
        if update.vectors and len(weight.shape) < 2:
            return update.vectors.single
        return update.early if self.conventions.first and update.early else update.single

    def _lists(self, weights: Sequence[Weight], states: Tally | None) -> Iterator[Updated]:
        """Yield moments of lists, of which that of the first weight comes first."""
        left: dict[str, Made[Of]] = {}
        members = dict.fromkeys(weight for _, weight in weights)
        for which in dict.fromkeys(map(self._list_of, members)):
            update = (which == "vectors" and self.update.vectors) or self.update
            steps = update.foreach if self.way == "foreach" else ""
            for made in run(steps, which, left, update.each, members):
                yield Updated(self.program.outputs[0], self._tally(made), states)

    def _list_of(self, weight: Tensor) -> Several:
        if self.update.vectors:
            return "vectors" if len(weight.shape) < 2 else "matrices"
        return "all" if self.update.matrices is None else "rest"

    def _tally(self, made: Sequence[Made[Of]]) -> Tally:
        """The bytes of values, weight by weight."""
        items: list[Amount | Tally] = []
        for of in dict.fromkeys(of for of, _ in made):
            sizes = [size for other, size in made if other == of]
            if isinstance(of, Tensor):
                own = sum((self._bytes(of, size) for size in sizes), ZERO)
                items.append(Amount(of.scope, own, getattr(of.op, "name", ""), of.shape))
            else:
                items += self._each(self._price(of, sizes)).items
                alone = sizes.count("one") * self.conventions.value_bytes
                items += [Amount(self.program.scope, Integer(alone))] if alone else []
        return Tally(self.program.scope, tuple(items))

    def _price(self, which: Several, sizes: Sequence[Size]) -> Price:
        """What values of a list take for each of its weights; a single number is none of these."""

        def each(program: Program, weight: Tensor) -> Expr:
            if self._apart((program, weight)) or self._list_of(weight) != which:
                return ZERO
            return sum((self._bytes(weight, size) for size in sizes if size != "one"), ZERO)

        return each

    def _bytes(self, weight: Tensor, size: Size) -> Expr:
        each = Integer(self.conventions.value_bytes)
        match size:
            case "":
                return weight.size * each
            case "mask":
                return weight.size
            case "one":
                return each
            case "number":
                return Integer(4)
            case "half":
                return 2 * weight.size
            case "copied":
                return ZERO if self.conventions.dtype == "bf16" else 2 * weight.size
            case "square":
                return 2 * self._shorter(weight) ** 2
            case "rows":
                return weight.size / weight.shape[-1] * each
            case "columns":
                return weight.size / weight.shape[-2] * each
            case "means":
                return weight.size / weight.shape[-1] / weight.shape[-2] * each
            case _:
                assert_never(size)

    def _shorter(self, weight: Tensor) -> Expr:
        """Return the shorter side of a matrix; where equations do not decide it, sizes do.

        Raises:
            BadInput: these have no values either.
        """
        rows, columns = weight.shape
        one, other = (substitute(algebra.terms(n), self.assumed.equations) for n in weight.shape)
        if is_at_most(one, other):
            return rows
        if is_at_most(other, one):
            return columns
        difference = algebra.subtract(other, one)
        found = algebra.value(difference, self.assumed.bindings)
        if found is None:
            raise BadInput(
                f"which side of {getattr(weight.op, 'name', '')}, {algebra.text(one)} by "
                f"{algebra.text(other)}, is the shorter is not known without sizes, and "
                f"{self.conventions.optimizer} makes a square of it: give them values."
            )
        condition = difference if found >= 0 else algebra.subtract(one, other)
        if condition not in self._decided:
            self._decided.append(condition)
        return rows if found >= 0 else columns


def _walk(
    program: Program, frozen: tuple[str, ...], few: Mapping[Expr, int]
) -> Iterator[Weight]:  # fmt: skip
    """Yield the weights that are updated in the order of their first use, bodies' twice over."""
    seen: set[Tensor] = set()
    for t in program.tensors:
        for x in t.args:
            if x not in seen and is_trained(program, x, frozen) and x not in program.unused:
                seen.add(x)
                yield program, x
        if isinstance(t.op, Call):
            once = t.op.shared or t.op.times == 1 or few.get(t.op.times) == 1
            for _ in range(1 if once else 2):
                yield from _walk(t.op.body, frozen, few)
