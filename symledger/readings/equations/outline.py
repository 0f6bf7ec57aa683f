"""What the equations of a component may mention: its steps, and its children as functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sympy import Expr

from symledger.errors import DefinitionError
from symledger.ir import scalars
from symledger.ir.ops import Const, Contract, Input, Map, Param, Rearrange
from symledger.ir.shapes import ONE
from symledger.ir.sizing import index_sizes
from symledger.ir.tensor import Call, CallBack, Program, Result, Scope, Tensor, is_leaf
from symledger.readings.equations.letters import Axis
from symledger.readings.pullback import is_zero


@dataclass(frozen=True)
class Applied:
    """A component applied to tensors: ``times`` times, or pulled back to one of its inputs.

    ``each`` is set where it is not the last result that is meant, but those of all times.
    """

    name: str
    args: tuple[Tensor, ...]
    times: Expr | None = None
    back: bool = False
    label: str = ""
    each: bool = False


@dataclass
class Child:
    """A component used inside the one that is written down: what enters it and what it gives."""

    entering: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)


@dataclass
class Sheet:
    """What equations may mention: names, applied components, and letters wanted for axes."""

    names: dict[Tensor, str] = field(default_factory=dict)
    applied: dict[Tensor, Applied] = field(default_factory=dict)
    like: dict[Tensor, Tensor] = field(default_factory=dict)
    wanted: dict[Tensor, tuple[Axis, ...]] = field(default_factory=dict)
    named: dict[str, list[Tensor]] = field(default_factory=dict)

    def name(self, t: Tensor, name: str) -> None:
        """Give a tensor a name, with a prime where another one has it already."""
        while name in self.named and any(not _same_table(t, other) for other in self.named[name]):
            name += "′"
        self.named.setdefault(self.names.setdefault(t, name), []).append(t)

    def note_uses(self, tensors: Iterable[Tensor]) -> None:
        """Take the letters of an axis from the patterns that use it."""
        for t in tensors:
            if isinstance(t.op, Contract):
                pairs = list(zip(t.args, (t.op.left, t.op.right), strict=False))
                axes: dict[str, Axis] = {n: ((n, size),) for n, size in index_sizes(t).items()}
                for x, names in pairs:
                    if isinstance(x.op, Rearrange) and x not in self.names:
                        groups = zip(names, groups_of(x.op, x.op.right), strict=True)
                        axes |= {n: group for n, group in groups if len(group) > 1}
                for x, names in pairs:
                    self.wanted.setdefault(x, tuple(axes[n] for n in names))
            elif isinstance(t.op, Rearrange):
                self.wanted.setdefault(t.args[0], groups_of(t.op, t.op.left))

    def application(self, t: Tensor) -> Applied | None:
        """The component applied that a tensor is the result of, where it is one."""
        if t in self.applied:
            return self.applied[t]
        if isinstance(t.op, Call):
            return Applied(call_name(t.op.body.scope), t.args, t.op.times)
        if isinstance(t.op, CallBack):
            return _call_back(t.op.call, t.args, 0)
        if isinstance(t.op, Result):
            back = t.args[0].op
            if isinstance(back, Call):
                return _result(back, t.args[0].args, t.op)
            assert isinstance(back, CallBack)
            assert isinstance(back.call.op, Call)
            position = back.call.op.body.inputs.index(t.op.leaf)
            return _call_back(back.call, t.args[0].args, position)
        return None

    def returned(self, t: Tensor) -> bool:
        """Whether a gradient comes from children alone: such terms are written last."""
        if isinstance(t.op, Map) and t.op.code == scalars.ADD:
            return all(self.returned(x) for x in t.args)
        made = self.applied.get(t)
        return made is not None and made.back

    def parts(self, t: Tensor) -> tuple[Tensor, ...]:
        """The tensors that the right side of a tensor's definition mentions."""
        made = self.application(t)
        if made is not None:
            return made.args
        return t.args[:2] if isinstance(t.op, Contract) else t.args


def _result(call: Call, args: tuple[Tensor, ...], op: Result) -> Applied:
    """One of several results of a repeated body: the last one, or those of all applications."""
    scope = call.body.scope
    several = len(set(call.body.outputs)) > 1
    step = next((name for name, t in scope.steps.items() if t is op.leaf), known_name(op.leaf))
    name = f"{call_name(scope)}.{step}" if several else call_name(scope)
    return Applied(name, args, call.times, each=op.axis is not None)


def _call_back(call: Tensor, incoming: tuple[Tensor, ...], position: int) -> Applied:
    """A repeated body pulled back to one of its inputs."""
    assert isinstance(call.op, Call)
    scope, inputs = call.op.body.scope, call.op.body.inputs
    label = labels(scope, inputs)[position] if len(inputs) > 1 else ""
    given = tuple(g for g in incoming if not is_zero(g))
    return Applied(call_name(scope), given, call.op.times, True, label)


def _same_table(a: Tensor, b: Tensor) -> bool:
    if not (isinstance(a.op, Const) and isinstance(b.op, Const) and a.shape == b.shape):
        return a is b
    return a is b or bool(a.op.value == b.op.value)


def groups_of(op: Rearrange, groups: tuple[tuple[str, ...], ...]) -> tuple[Axis, ...]:
    """The letters and lengths of one side of a Rearrange."""
    sizes = dict(op.sizes)
    return tuple(tuple((n, sizes[n]) for n in group if sizes[n] != ONE) for group in groups)


class Outline:
    """A program as one component in it sees it: its own tensors, and its children as units."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.scope = scope
        self._found: dict[Scope, Scope | None] = {}
        bodies = (p for p in program.bodies if p.scope is scope or self._own(p.tensors))
        found = next(bodies, None)
        if found is None:
            raise DefinitionError(f"{scope.name} is not a component of {program.scope.name}.")
        self.body = found
        self.tensors = self._own(self.body.tensors)
        outside = {x: None for t in self.tensors for x in t.args if not self.holds(x)}
        self.entering = (
            self.body.inputs if self.body.scope is scope else _in_order(scope, outside)
        )
        self.children: dict[Scope, Child] = {}
        for t in self.tensors:
            self._connect(t)
        for t in (*self.body.outputs, *scope.steps.values()):
            self._gives(t)

    def holds(self, t: Tensor) -> bool:
        """Whether a tensor was made in this component or a child of it."""
        return t.scope is self.scope or self.child(t) is not None

    def child(self, t: Tensor) -> Scope | None:
        """The child that a tensor was made in, at whatever depth."""
        if t.scope not in self._found:
            at: Scope | None = t.scope
            while at is not None and at.parent is not self.scope:
                at = at.parent
            self._found[t.scope] = at
        return self._found[t.scope]

    def _own(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return tuple(t for t in tensors if self.holds(t))

    def _connect(self, t: Tensor) -> None:
        inside = self.child(t)
        for x in t.args:
            if x.scope is not t.scope and self.child(x) is not inside:
                self._gives(x)
                if inside is not None:
                    found = self.children.setdefault(inside, Child()).entering
                    found[:] = _in_order(inside, {*found, x})

    def _gives(self, t: Tensor) -> None:
        inside = self.child(t)
        if inside is not None and t.args:
            found = self.children.setdefault(inside, Child()).outputs
            found[:] = sorted({*found, t}, key=lambda x: x.order)

    def sheet(self) -> Sheet:
        """Name what equations of this component may mention."""
        sheet = Sheet()
        for t, label in zip(self.entering, labels(self.scope, self.entering), strict=True):
            sheet.name(t, label)
        for t in self.tensors:
            inside = self.child(t)
            if isinstance(t.op, Param) and inside is not None:
                sheet.name(t, f"{t.op.name}_{inside.name}")
            elif is_leaf(t) and inside is None and (t.shape or not isinstance(t.op, Const)):
                sheet.name(t, known_name(t))
        for name, t in self.scope.steps.items():
            if t not in sheet.names:
                sheet.name(t, name)
        for inner, child in self.children.items():
            for t in child.outputs:
                sheet.applied[t] = Applied(output_name(inner, child, t), tuple(child.entering))
        sheet.note_uses(t for t in self.tensors if self.child(t) is None)
        return sheet


def _in_order(scope: Scope, entering: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """Put what enters a component as it was called: its arguments, then weights of others."""
    places = {t: i for i, t in enumerate(scope.entered.values())}

    def place(t: Tensor) -> tuple[int, bool, int]:
        return places.get(t, len(places)), isinstance(t.op, Param), t.order

    return tuple(sorted(entering, key=place))


def labels(scope: Scope, entering: Sequence[Tensor]) -> list[str]:
    """Name what enters a component as its ``forward`` does, where that can be told.

    What enters as several arguments has its own name: it stands for all of them.
    """
    if scope.parent is None:
        return [t.op.name if isinstance(t.op, Input) else "" for t in entering]
    passed = list(scope.entered.values())
    called = {t: name for name, t in scope.entered.items() if passed.count(t) == 1}
    return [called.get(t) or known_name(t) or f"x{i}" for i, t in enumerate(entering)]


def known_name(t: Tensor) -> str:
    """A tensor's name where it was made."""
    if isinstance(t.op, Input | Param | Const):
        return t.op.name
    return next((name for name, step in t.scope.steps.items() if step is t), "")


def call_name(scope: Scope) -> str:
    """The name that a child is written by: no number, and not that of a step beside it."""
    beside = scope.parent.steps if scope.parent else {}
    named = all(part.isidentifier() for part in scope.name.split("."))
    if named and scope.name not in beside:
        return scope.name
    return f"{scope.kind}_{scope.name}".lstrip("_")


def output_name(scope: Scope, child: Child, t: Tensor) -> str:
    """The name of a child, with that of its result where it gives several."""
    if len(child.outputs) == 1:
        return call_name(scope)
    return f"{call_name(scope)}.{next((n for n, s in scope.steps.items() if s is t), 'y')}"
