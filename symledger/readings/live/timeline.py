"""The passes of a program, step by step: which storages are made, and when each is read last.

The schedule is ``program``: operations in the program's own order, forward, then backward. A value
lives from the step that makes it to the last that reads it; views share their root's storage; a
fused body is one step, and so is its stated pull-back. Weights are no values, and tables are
computed where they are read. What enters the whole is held throughout, and the results of a pass
to its end. What repetitions stack lies in one storage from the first of them on; gradients that
several of them give to one leaf are added up in place at once. Weights that are ``unpacked`` are
made values for each step that reads them, and gone behind it. What autocast casts once is there
until the forward pass has ended.

A body that is applied n ≥ 4 times is walked through seven times, whatever n: its first and second
application, the i - 3 alike behind these, the i-th (3 ≤ i ≤ n - 2), the n - 2 - i alike behind it,
its last but one and its last. Those alike are not looked at. Where n is known to be less than four,
every application is walked through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from sympy import Dummy, Expr

from symledger import algebra
from symledger.algebra import Terms
from symledger.errors import BadInput
from symledger.ir.ops import Const, Input, Map, Param, Rearrange, View
from symledger.ir.scalars import CACHED
from symledger.ir.tensor import Call, CallBack, Program, Pullback, Result, Tensor, is_leaf
from symledger.readings.live.held import (
    BACKWARD,
    END,
    FIRST,
    FORWARD,
    LAST,
    LAST_BUT_ONE,
    MANY,
    NAMES,
    SECOND,
    Application,
    Held,
    Place,
    Step,
    Storages,
    until,
)
from symledger.readings.saved import is_redrawn, root

ONCE: Terms = algebra.constant(1)
Stored = dict[Tensor, Storages]
Pass = Program | Pullback


class Timeline:
    """The steps of a program's passes, and the storages that they make and read.

    ``turn`` is the number of the first step of the backward pass.
    """

    def __init__(
        self, program: Program, remembering: bool = False, few: Mapping[Expr, int] | None = None,
        adding: bool = False, unpacked: Collection[Tensor] = (),
    ) -> None:  # fmt: skip
        """Walk the forward pass.

        Args:
            program: what is run.
            remembering: whether what decoding keeps is held to the end.
            few: how often bodies are repeated, where that is known to be less than four times.
            adding: whether gradients of weights are added, as soon as they are there, to those of
                batches before, which are no storages of this walk.
            unpacked: weights that are kept in another type than they are multiplied in.
        """
        self.program = program
        self.adding = adding
        self.unpacked = frozenset(unpacked)
        self.few = few or {}
        self.remembering = remembering
        self.steps: list[Step] = []
        self.held: list[Held] = []
        self.whole = Application(ONCE)
        for x in program.inputs:
            self.whole.stored[x] = (self._hold(x, self.whole),)
            until(self.whole.stored[x], END)
        self._forward(program, self.whole)
        self.turn = self.now
        for y in program.outputs:
            until(self._of(y, self.whole, self.whole.stored, program), self.now - 1)
        until((held for held in self.held if is_cached(held.tensor)), self.now - 1)

    def back(self, pull: Pullback) -> None:
        """Walk the backward pass; what it gives is held to the end."""
        seeds: Stored = {seed: (self._hold(seed, self.whole),) for seed in pull.seeds}
        for leaf, storages in self._backward(pull, self.whole, seeds, {}).items():
            self._last(storages, leaf)

    @property
    def now(self) -> int:
        """The number of the step that is being made."""
        return len(self.steps)

    def _hold(self, t: Tensor, app: Application, within: bool = False) -> Held:
        held = Held(t, app.number, self.now, self.now, within)
        self.held.append(held)
        return held

    def _step(self, t: Tensor, app: Application, around: Pass) -> None:
        way = BACKWARD if isinstance(around, Pullback) else FORWARD
        self.steps.append(Step(t, way, app.places, app.measured))

    def _forward(self, program: Program, app: Application) -> None:
        for unit in units(program.tensors):
            self._execute(unit, app, app.stored, program)

    def _backward(
        self, pull: Pullback, app: Application, stored: Stored, totals: Stored
    ) -> Stored:  # fmt: skip
        """Walk a backward program; what is in ``totals`` already is added to at once."""
        made = {root(g): leaf for leaf, g in pull.gradients.items() if leaf in totals}
        ready = {g for leaf, g in pull.gradients.items() if isinstance(leaf.op, Param)}
        for unit in units(pull.tensors):
            self._execute(unit, app, stored, pull)
            for t in ready.intersection(unit):
                until(self._of(t, app, stored, pull), self.now - 1)
            for t in (t for t in unit if t in made):
                until((*totals[made[t]], *stored[t]), self.now)
                self._step(t, app, pull)
        return {leaf: self._of(g, app, stored, pull) for leaf, g in pull.gradients.items()}

    def _execute(
        self, unit: Sequence[Tensor], app: Application, stored: Stored, around: Pass
    ) -> None:
        """Make one step, where a unit is one: what it reads is held until then."""
        t = unit[-1]
        if isinstance(t.op, Call):
            self._call(t, t.op, app, stored, around)
        elif isinstance(t.op, CallBack):
            self._call_back(t, t.op, app, stored, around)
        elif any(not isinstance(y.op, View | Result) for y in unit):
            for x in (x for y in unit for x in y.args if root(x) not in unit):
                until(self._of(x, app, stored, around), self.now)
            for weight in dict.fromkeys(x for y in unit for x in y.args if x in self.unpacked):
                self._hold(weight, app)
            for y in unit:
                if root(y) is y:
                    if y not in stored:
                        stored[y] = (self._hold(y, app, y.region is not None),)
                    until(stored[y], self.now)
            for y in t.region.outputs if t.region else ():
                for held in stored.get(root(y), ()):
                    held.within = False
            self._step([y for y in unit if root(y) is y][-1], app, around)
        if self.remembering:
            for y in (y for y in unit if y.state is not None):
                until(self._of(y, app, stored, around), END)

    def _of(self, t: Tensor, app: Application, stored: Stored, around: Pass) -> Storages:
        """What a tensor is stored in. What is drawn is held from when it is read first.

        In a block that is run again it is drawn again.
        """
        below = root(t)
        if isinstance(below.op, Param | Const):
            return ()
        if isinstance(around, Pullback) and is_redrawn(below, around):
            if below not in stored:
                stored[below] = (self._hold(below, app),)
            return stored[below]
        if below in stored:
            return stored[below]
        if below not in app.stored:
            assert isinstance(below.op, Input), below
            held = self._hold(below, app)
            held.born = 0 if below.op.remembered else held.born
            app.stored[below] = (held,)
        return app.stored[below]

    def _call(
        self, t: Tensor, call: Call, app: Application, stored: Stored, around: Pass
    ) -> None:
        """Walk the applications of a body, each in storages of its own."""
        given = dict(zip(call.body.inputs, (self._of(x, app, stored, around) for x in t.args),
                         strict=True))  # fmt: skip
        taken = _results(t, around)
        stacks = {r: (self._hold(r, app),) for r in taken if r.op.axis is not None}  # type: ignore[union-attr]  # a Result
        app.inner[t] = []
        for sub in applications(t, call, app, self.few):
            for r, stack in stacks.items():
                sub.stored.update(_placed(r.op.leaf, stack))  # type: ignore[union-attr]  # a Result
            sub.stored.update(given)
            self._forward(call.body, sub)
            app.inner[t].append(sub)
            for x, y in zip(call.carried, call.body.outputs, strict=False):
                given[x] = self._handed_on(root(y), x, sub, app, call.body)
        stored[t] = given[call.body.inputs[0]]
        for r in taken:
            assert isinstance(r.op, Result)
            stored[r] = stacks.get(r, ())
            for last in app.inner[t][-1:] if r.op.axis is None else ():
                stored[r] = self._of(r.op.leaf, last, last.stored, call.body)

    def _handed_on(
        self, y: Tensor, x: Tensor, sub: Application, app: Application, body: Program
    ) -> Storages:
        """What the next application gets as a state; of many alike, it is the last one's.

        The others of these have it from each other: they read it as their ``x`` too, and so does
        what is within them.
        """
        storages = self._of(y, sub, sub.stored, body)
        mine = tuple(held for held in storages if held.number is sub.number)
        if sub.alike and mine:
            last = tuple(self._hold(held.tensor, app) for held in mine)
            for held in mine:
                held.number = algebra.subtract(sub.number, app.number)
            sub.hold_too({
                **dict.fromkeys(sub.stored[x], mine),
                **{held: (own,) for held, own in zip(mine, last, strict=True)},
            })  # fmt: skip
            return (*(held for held in storages if held not in mine), *last)
        return storages

    def _call_back(
        self, t: Tensor, op: CallBack, app: Application, stored: Stored, around: Pass
    ) -> None:
        """Walk the applications of a body backwards.

        Raises:
            BadInput: it is run again as a part of something else.
        """
        call = op.call.op
        assert isinstance(call, Call)
        if op.call not in app.inner:
            raise BadInput(f"{call.body.scope.name} is run again as a part of what is around it: "
                           "what is alive when is not derived for that.")  # fmt: skip
        arriving = [self._of(x, app, stored, around) for x in t.args]
        states, each = arriving[: call.states], arriving[call.states :]
        taken = _results(t, around)
        stacks: Stored = {
            r.op.leaf: (self._hold(r, app),) for r in taken
            if isinstance(r.op, Result) and r.op.leaf in call.sliced
        }  # fmt: skip
        totals: Stored = {}
        for sub in reversed(app.inner[op.call]):
            pull = _pulled_back(op, sub, app.inner[op.call])
            arriving = [] if pull in (op.last, op.only) else states
            own = dict(zip(pull.seeds, (*arriving, *each), strict=True))
            for leaf in stacks.keys() & pull.gradients.keys():
                own = _placed(pull.gradients[leaf], stacks[leaf]) | own
            found = self._backward(pull, sub, own, totals)
            states = [self._one(found.get(x, ()), sub, app) for x in call.carried]
            for leaf, storages in found.items():
                if isinstance(leaf.op, Param) and not call.shared:
                    self._last(storages, leaf)
                elif leaf not in call.carried and leaf not in call.sliced:
                    totals.setdefault(leaf, storages)
        stored[t] = states[0]
        given = {**totals, **stacks, **dict(zip(call.carried, states, strict=True))}
        stored.update({r: given.get(r.op.leaf, ()) for r in taken})  # type: ignore[union-attr]  # a Result

    def _last(self, storages: Storages, leaf: Tensor) -> None:
        """Hold what a backward pass gives to the end; the gradient of a weight is known as one.

        One that is added to that of batches before is let go.
        """
        weight = isinstance(leaf.op, Param)
        if weight and self.adding:
            return
        until(storages, END)
        for held in storages:
            held.lasting = held.lasting or weight

    def _one(self, storages: Storages, sub: Application, app: Application) -> Storages:
        """Of the gradients that many applications give to their states, the last one's."""
        mine = [held for held in storages if sub.alike and held.number is sub.number]
        for held in mine:
            held.number = algebra.subtract(sub.number, app.number)
        last = tuple(self._hold(held.tensor, app) for held in mine)
        return (*(held for held in storages if held not in mine), *last)


def is_cached(t: Tensor) -> bool:
    """Whether a tensor is a leaf's copy in another type, of which there is one for all readers."""
    return isinstance(t.op, Map) and t.op.code == CACHED


def units(tensors: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    """Yield what is one step: an operation, or all those of a fused body."""
    for _, unit in groupby((t for t in tensors if not is_leaf(t)), lambda t: t.region or t):
        yield list(unit)


def applications(
    t: Tensor, call: Call, app: Application, few: Mapping[Expr, int]
) -> Iterator[Application]:
    """Yield the applications that are walked through: at most seven, whatever their number.

    Raises:
        BadInput: how often it is applied is an average.
    """
    if call.average:
        raise BadInput(f"{call.body.scope.name} is repeated {call.times} times on average only: "
                       "what is alive when is not derived for that.")  # fmt: skip

    def alike(number: Terms) -> Application:
        return Application(algebra.multiply(app.number, number), (), False, alike=True)

    def one(name: str, index: Dummy | None = None) -> Application:
        return Application(app.number, (*app.places, Place(t, name, index)), app.measured)

    number = few.get(call.times, int(call.times) if call.times.is_Integer else MANY)
    times = algebra.terms(call.times)
    if number < MANY:
        yield from (one(name) for name in NAMES[number])
    elif not app.measured:
        yield one(FIRST)
        yield alike(algebra.subtract(times, algebra.constant(2)))
        yield one(LAST)
    else:
        i = Dummy("i")
        index = algebra.variable(i)
        yield from (one(FIRST), one(SECOND))
        yield alike(algebra.subtract(index, algebra.constant(3)))
        yield one("", i)
        yield alike(algebra.combine([(1, times), (-2, ONCE), (-1, index)]))
        yield from (one(LAST_BUT_ONE), one(LAST))


def _pulled_back(op: CallBack, sub: Application, every: Sequence[Application]) -> Pullback:
    """The backward program of an application: those at the ends may have others."""
    is_first = sub is every[0]
    if op.last and sub is every[-1]:
        return op.only if op.only and is_first else op.last
    return op.first if op.first and is_first else op.body


def _placed(t: Tensor, stack: Storages) -> Stored:
    """A tensor that is made in its place in a stack, if an operation makes it whole.

    What is a part of another one, or lies in another stack, is copied as soon as it is there.
    """
    while isinstance(t.op, Rearrange):
        t = t.args[0]
    elsewhere = isinstance(t.op, View | Call | CallBack | Result) or is_leaf(t)
    return {} if elsewhere else {t: stack}


def _results(call: Tensor, around: Pass) -> list[Tensor]:
    """The results that are taken of a Call or a CallBack."""
    return [t for t in around.tensors if isinstance(t.op, Result) and t.args[0] is call]
