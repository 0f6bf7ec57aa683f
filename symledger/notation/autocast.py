"""Programs under ``torch.autocast``: every value gets its type, and casts become operations.

Weights and what enters are in fp32. A walk through the program gives each operation its rule
(``autocast_rules``): what is computed in 16 bits casts its operands down, what is computed in fp32
casts them up, and everything else is in the widest type of what it is given. So what is kept and
alive follows from the program.

A trained weight is cast once and stays, in the copy, until the forward pass has ended; in a block
that is run again, once more. Whatever else is cast is cast for each operation that reads it.

Source: PyTorch 2.13, *Automatic Mixed Precision* and ``at::autocast::cached_cast``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from symledger.errors import BadInput
from symledger.ir import scalars
from symledger.ir.casts import FLOATS
from symledger.ir.functions import leaky
from symledger.ir.ops import (
    Contract,
    Input,
    Join,
    Map,
    Overlap,
    Param,
    Rearrange,
    Solve,
    Storage,
    Sum,
    View,
    Windows,
)
from symledger.ir.shapes import ONE, product
from symledger.ir.tensor import (
    Call,
    Program,
    Region,
    Result,
    Scope,
    Tensor,
    is_leaf,
)
from symledger.notation.autocast_rules import (
    FOLLOWS,
    FULL,
    LOWER,
    Rule,
    check_component,
    of_function,
    of_fused,
)
from symledger.notation.recompute import block_of

WIDE, HALF = FLOATS
HEAD = "lm_head"
"""The component that the bias of scores is part of, even where a model adds it."""
PARTS = ("discarded", "last_state")
"""Components that are a part of a product of the one around: what is cast for that serves both."""
Trained = Callable[[Program, Tensor], bool]


def autocast(program: Program, is_trained: Trained, inputs: bool = True) -> Program:
    """Return a program as it runs under autocast. Its scopes and fused bodies become the new one's.

    Args:
        program: what is run, its values in one type.
        is_trained: of a program (or a body) and a weight in it, whether that asks for a gradient.
        inputs: whether what enters asks for one.

    Raises:
        BadInput: what the type of some value is cannot be told.
    """
    return _Walk(is_trained, inputs).whole(program)


@dataclass
class _Walk:
    """One walk through a program: what stands for which tensor, and the weights that were cast."""

    is_trained: Trained
    inputs: bool
    made: dict[Tensor, Tensor] = field(default_factory=dict)
    cached: dict[tuple[Tensor, Scope | None], Tensor] = field(default_factory=dict)
    within: list[Program] = field(default_factory=list)
    means: set[Tensor] = field(default_factory=set)
    users: Counter[Tensor] = field(default_factory=Counter)
    entering: dict[tuple[Region, Tensor], Tensor] = field(default_factory=dict)
    casts: dict[tuple[Tensor, Scope | None], Tensor] = field(default_factory=dict)
    leaves: set[Tensor] = field(default_factory=set)
    shared: bool = False

    def whole(self, program: Program) -> Program:
        """Return the program with types."""
        leaves = (x for x in program.inputs if isinstance(x.op, Input) and x.op.varies)
        self.leaves.update(leaves if self.inputs else ())
        found = self.program(program)
        scopes = {s for body in program.bodies for t in body.tensors for s in _around(t.scope)}
        for scope in scopes:
            for named in (scope.entered, scope.steps):
                named.update({name: self.made.get(x, x) for name, x in named.items()})
        return found

    def program(self, old: Program) -> Program:
        """Return a program, or a body, with types; what enters it has one already."""
        self.within.append(old)
        self.users.update(x for t in old.tensors for x in t.args)
        self.means |= {t.args[0] for t in old.tensors if self._is_mean(t)}
        fused: dict[Region, None] = {}
        for unit in _units(old.tensors):
            region = unit[0].region
            if region is not None:
                fused[region] = None
                self._fused(unit, region)
                continue
            for t in unit:
                self.made[t] = self._one(t)
        for region in fused:
            region.named.update({n: self._given(region, x) for n, x in region.named.items()})
            region.outputs = tuple(self.made[y] for y in region.outputs)
        self.within.pop()
        ends = (tuple(self.made[t] for t in several) for several in (
            old.inputs, old.outputs, old.idle))  # fmt: skip
        return Program(old.scope, *ends)

    def _given(self, region: Region, x: Tensor) -> Tensor:
        return self.entering.get((region, x), self.made.get(x, x))

    def _fused(self, unit: list[Tensor], region: Region) -> None:
        """Type a fused body: all values in it are of the type that it is computed in."""
        outer = {x: None for t in unit for x in t.args if x.region is not region}
        given = [self.made[x] for x in outer]
        narrow = any(x.storage == HALF for x in given)
        check_component(unit[-1].scope, narrow)
        rule = of_fused(region, where(unit[-1]), narrow=narrow)
        to = {LOWER: HALF, FULL: WIDE}.get(rule) or _widest(given)
        own: dict[Tensor, Tensor] = {}
        for x in outer:
            now = self.made[x]
            own[x] = now if rule == FOLLOWS else self._cast(now, to, unit[0].scope)
            self.entering[region, x] = own[x]
        for t in unit:
            if is_leaf(t):
                own[t] = self.made[t] = t
                continue
            args = tuple(own[x] for x in t.args)
            storage = to if t.storage == WIDE else t.storage
            own[t] = self.made[t] = replace_with(t, args, storage, region)

    def _one(self, t: Tensor) -> Tensor:
        """Type one operation, what it casts before it."""
        if is_leaf(t):
            return self.made.get(t, t)
        if isinstance(t.op, Call):
            return self._call(t, t.op)
        if isinstance(t.op, Result):
            leaf = self.made[t.op.leaf]
            return replace_with(t, self._args(t), leaf.storage, op=replace(t.op, leaf=leaf))
        self._remember(t)
        rule, args = self._rule(t), self._args(t)
        check_component(t.scope, any(x.storage == HALF for x in args))
        if isinstance(t.op, Contract):
            down = [self._operand(x, t.scope) for x in args[:2]]
            return replace_with(t, (*down, *args[2:]), HALF)
        if rule != FOLLOWS:
            to = HALF if rule == LOWER else WIDE
            args = tuple(self._cast(x, to, t.scope) for x in args)
        else:
            to = _widest(args)
        return replace_with(t, args, to if t.storage == WIDE else t.storage)

    def _remember(self, t: Tensor) -> None:
        """Give what is remembered the type of what it is joined with, which is remembered next.

        Raises:
            BadInput: it is read otherwise.
        """
        past = [x for x in map(_root, t.args) if isinstance(x.op, Input) and x.op.remembered]
        for x in past:
            own = [y for y in self._args(t) if _root(y) not in past]
            if not (isinstance(t.op, Join) and x in t.args and own and self.users[x] == 1):
                raise BadInput(
                    f"{where(t)} reads what was remembered, and does not join it with what is "
                    "next: of which type that is under autocast is not derived."
                )
            self.made[x] = replace(x, storage=_widest(own))

    def _args(self, t: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.made[x] for x in t.args)

    def _rule(self, t: Tensor) -> Rule:
        """The rule of an operation; a bias is added in the type of the product that it is part of.

        Raises:
            BadInput: there is none.
        """
        match t.op:
            case Map(code):
                if self._is_bias(t) or _is_prelu(t):
                    return LOWER
                return FOLLOWS if self._is_mean(t) else of_function(code, where(t))
            case Sum():
                return FOLLOWS if t in self.means else FULL
            case Solve():
                raise BadInput(f"{where(t)} solves a triangle of equations, of which the types "
                               "under autocast are not derived.")  # fmt: skip
            case _:
                return FOLLOWS

    def _is_mean(self, t: Tensor) -> bool:
        """Whether a sum is divided by the number of what was added, which is one operation."""
        if not (isinstance(t.op, Map) and len(t.args) == 1 and isinstance(t.args[0].op, Sum)):
            return False
        added = t.args[0]
        if self.users[added] > 1 or added.region is not None:
            return False
        number = product(tuple(added.args[0].shape[i] for i in added.op.axes))  # type: ignore[union-attr]
        return bool(t.op.code.value == scalars.X * (ONE / number))

    def _is_bias(self, t: Tensor) -> bool:
        """Whether a vector of weights is added to a product with others, in one component.

        Raises:
            BadInput: it is added to what another component gives, which may be one operation or
                two.
        """
        if not (isinstance(t.op, Map) and t.op.code == scalars.ADD):
            return False
        for y, b in (t.args, t.args[::-1]):
            chain = list(_chain(y, Rearrange | Overlap))
            below, bias = chain[-1], _root(b)
            vector = isinstance(bias.op, Param) and bias.rank == 1
            if not (vector and isinstance(below.op, Contract)):
                continue
            alone = all(self.users[x] == 1 for x in chain)
            if not alone or not any(isinstance(_root(x).op, Param) for x in below.args[:2]):
                continue
            if below.scope is t.scope or below.scope.kind == HEAD:
                return True
            raise BadInput(
                f"{where(t)} adds a weight to what {where(below)} gives, in fp32 under autocast "
                "or, if that is one operation of its implementation, in 16 bits: that is not known."
            )
        return False

    def _operand(self, x: Tensor, scope: Scope) -> Tensor:
        """Cast what is multiplied, below windows, through which nothing is written down."""
        if any(isinstance(y.op, Windows) for y in _chain(x)):
            below = self._operand(x.args[0], scope)
            return replace_with(x, (below,), below.storage)
        return self._cast(x, HALF, scope)

    def _cast(self, x: Tensor, to: Storage, scope: Scope) -> Tensor:
        """Cast a tensor, unless it is of that type; a weight below views of all of it, and once."""
        if x.storage not in FLOATS or x.storage == to:
            return x
        *views, below = _chain(x)
        if to == HALF and all(isinstance(y.op, Rearrange) for y in views):
            if isinstance(below.op, Param) and self.is_trained(self.within[-1], below):
                return self._seen(x, self._cast_once(below, scope))
            if not views and self._asks(below):
                return self._cast_once(below, scope)
        made = Tensor(Map(scalars.CAST), (x,), x.shape, to, scope=scope, region=None)
        if scope.kind in PARTS:
            return self.casts.get((x, scope.parent), made)
        self.casts[x, scope] = made
        return made

    def _asks(self, x: Tensor) -> bool:
        """Whether a tensor enters the whole and asks for a gradient: a leaf, as weights are.

        Raises:
            BadInput: it enters a repeated body, of which applications share a copy of it.
        """
        if x in self.leaves and len(self.within) > 1:
            raise BadInput(
                f"{self.within[-1].scope.name} is repeated, and casts what enters the whole: under "
                "autocast a leaf is cast once for all of them, which is not derived. Ask for no "
                "gradient of what enters: --no-input-gradient."
            )
        return x in self.leaves

    def _cast_once(self, weight: Tensor, scope: Scope) -> Tensor:
        if len(self.within) > 1 and self.shared:
            raise BadInput(
                f"{self.within[-1].path(weight)} is a weight that several applications share: its "
                "copy under autocast is made once for all of them, which is not derived."
            )
        made = Tensor(Map(scalars.CACHED), (weight,), weight.shape, HALF, scope=scope, region=None)
        key = weight, block_of(made, self.within[-1].scope)
        return self.cached.setdefault(key, made)

    def _seen(self, x: Tensor, weight: Tensor) -> Tensor:
        """See a copy of a weight as that is seen."""
        if not isinstance(x.op, View):
            return weight
        return replace_with(x, (self._seen(x.args[0], weight),), weight.storage)

    def _call(self, t: Tensor, call: Call) -> Tensor:
        """Type a repeated body, what it hands on as what it is given.

        Raises:
            BadInput: that is of another type.
        """
        args = self._args(t)
        for formal, x in zip(call.body.inputs, args, strict=True):
            if isinstance(_root(x).op, Param):
                raise BadInput(f"{where(t)} is given a weight from outside, of which the copy "
                               "under autocast is not derived.")  # fmt: skip
            assert isinstance(formal.op, Input)
            narrow = x.storage in FLOATS and formal.storage in FLOATS
            self.made[formal] = replace(formal, storage=x.storage) if narrow else formal
            if x in self.leaves and formal not in call.sliced:
                self.leaves.add(self.made[formal])
        before, self.shared = self.shared, call.shared or self.shared
        body = self.program(call.body)
        self.shared = before
        for x, y in zip(body.inputs[: call.states], body.outputs, strict=False):
            if x.storage != y.storage:
                raise BadInput(
                    f"{where(t)} is repeated, and given values of "
                    f"{'fp32' if x.storage == WIDE else '16 bits'} first, of another type "
                    "afterwards: under autocast that is not derived."
                )
        return replace_with(t, args, body.outputs[0].storage, op=replace(call, body=body))


def replace_with(
    t: Tensor, args: tuple[Tensor, ...], storage: Storage, region: Region | None = None,
    op: Call | Result | None = None,
) -> Tensor:  # fmt: skip
    """Build a tensor again on other arguments, in another type."""
    return Tensor(op or t.op, args, t.shape, storage, t.state, t.scope, region)


def where(t: Tensor) -> str:
    """Say in which component a tensor is made."""
    return ".".join(t.scope.path) or t.scope.name


def _widest(args: tuple[Tensor, ...] | list[Tensor]) -> Storage:
    """The widest type of some tensors; numbers without axes count only where there are no others.

    Statistics and tables are in fp32; masks and whole numbers have no such type.
    """
    real = [x for x in args if x.storage in (*FLOATS, "statistic")]
    several = [x for x in real if x.rank] or real
    return HALF if several and all(x.storage == HALF for x in several) else WIDE


def _is_prelu(t: Tensor) -> bool:
    """Whether the slope below zero is a weight, and not drawn at random."""
    prelu = isinstance(t.op, Map) and t.op.code == leaky()
    return prelu and isinstance(_root(t.args[1]).op, Param)


def _chain(x: Tensor, through: Any = View) -> Iterator[Tensor]:
    """Yield a tensor and what it is a view of, down to what is none."""
    yield x
    while isinstance(x.op, through):
        x = x.args[0]
        yield x


def _root(x: Tensor) -> Tensor:
    return list(_chain(x))[-1]


def _around(scope: Scope | None) -> Iterator[Scope]:
    while scope is not None:
        yield scope
        scope = scope.parent


def _units(tensors: tuple[Tensor, ...]) -> Iterator[list[Tensor]]:
    """Yield operations, those of a fused body together."""
    for _, unit in groupby(tensors, lambda t: t.region or t):
        yield list(unit)
