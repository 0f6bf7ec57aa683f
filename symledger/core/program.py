"""Programs: what calling a component leaves behind, and its backward companion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

from sympy import Expr, Symbol

from symledger.core.ops import (
    Call,
    Const,
    Contract,
    Input,
    Overlap,
    Param,
    Rearrange,
    Slice,
    Windows,
)  # fmt: skip
from symledger.core.tensor import Scope, Tensor
from symledger.sizes import text_of


@dataclass(frozen=True, eq=False)
class Program:
    """A graph of tensors from inputs to outputs, in the order in which they were made."""

    scope: Scope
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    @cached_property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every tensor that the outputs depend on, inputs included, in order."""
        return reachable((*self.outputs, *self.inputs))

    @cached_property
    def params(self) -> tuple[Tensor, ...]:
        """The weights, each object once; those of repeated bodies are in their bodies."""
        return tuple(t for t in self.tensors if isinstance(t.op, Param))

    @cached_property
    def calls(self) -> tuple[Tensor, ...]:
        """The repeated bodies."""
        return tuple(t for t in self.tensors if isinstance(t.op, Call))

    @property
    def masks(self) -> bool:
        """Whether some contraction runs over masked pairs, at any depth."""
        return any(
            isinstance(t.op, Contract) and t.op.pairs for body in self.bodies for t in body.tensors
        )

    @cached_property
    def owners(self) -> dict[Tensor, Scope]:
        """The component that each weight belongs to: the first one that uses it."""
        found: dict[Tensor, Scope] = {}
        for tensor in self.tensors:
            for arg in tensor.args:
                if isinstance(arg.op, Param):
                    found.setdefault(arg, tensor.scope)
        for weight in self.params:  # one that is only returned
            found.setdefault(weight, weight.scope)
        return found

    def path(self, leaf: Tensor) -> str:
        """The dotted name of a weight, as in ``block.attention.Q.W``."""
        name = leaf.op.name if isinstance(leaf.op, Param | Input | Const) else ""
        return ".".join((*self.owners.get(leaf, leaf.scope).path, name))

    @cached_property
    def bodies(self) -> tuple[Program, ...]:
        """This program and the bodies of its calls, at any depth."""
        inner = (c.op.body for c in self.calls if isinstance(c.op, Call))
        return (self, *(p for body in inner for p in body.bodies))

    @cached_property
    def entering(self) -> tuple[Expr, ...]:
        """The size symbols in the shapes of what enters, by name."""
        found = {s for t in self.inputs for length in t.shape for s in length.free_symbols}
        return tuple(sorted(found, key=str))

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """Every size symbol in a shape, in how windows slide, or in a number of anything."""
        mentioned: set[Expr] = set()
        for program in self.bodies:
            for t in program.tensors:
                mentioned.update(t.shape)
                if isinstance(t.op, Call):
                    mentioned.add(t.op.times)
                if isinstance(t.op, Windows | Overlap):
                    mentioned.update((t.op.stride, t.op.padding, t.op.dilation))
                if isinstance(t.op, Contract) and t.op.pairs:
                    mentioned.add(t.op.pairs.count)
                if isinstance(t.op, Param) and t.op.used:
                    mentioned.update(t.op.used)
        found: set[Expr] = set().union(*(e.free_symbols for e in mentioned))
        return tuple(sorted(found, key=text_of))

    @cached_property
    def definitions(self) -> dict[Symbol, Expr]:
        """The sizes that others decide, as the component states it."""
        stated = self.scope.component.defined() if self.scope.component else {}
        return {symbol: e for symbol, e in stated.items() if symbol in self.symbols}

    @cached_property
    def lengths(self) -> tuple[Expr, ...]:
        """Every quantity that must be a positive whole number: all lengths of all axes.

        Further layers and paddings, which are ``numbers``, may be zero.
        """
        found: dict[Expr, None] = {}
        for program in self.bodies:
            for t in program.tensors:
                found.update(dict.fromkeys(t.shape))
                if isinstance(t.op, Rearrange):
                    found.update(dict.fromkeys(length for _, length in t.op.sizes))
                if isinstance(t.op, Call):
                    found[t.op.times] = None
                if isinstance(t.op, Windows | Overlap) and not t.op.padding.is_Symbol:
                    found[t.op.padding] = None
        return tuple(length for length in found if not length.is_Integer)

    @cached_property
    def numbers(self) -> set[Expr]:
        """What must be whole and may be zero: L − 1 further layers, a padding of (K − 1)/2."""
        ops = [t.op for body in self.bodies for t in body.tensors]
        found = {op.times for op in ops if isinstance(op, Call) and not op.times.is_Symbol}
        found |= {op.padding for op in ops if isinstance(op, Windows | Overlap)}
        return found - {n for body in self.bodies for t in body.tensors for n in t.shape}

    @cached_property
    def averages(self) -> set[Expr]:
        """The lengths that are averages, and need not be whole: rows of an expert."""
        inputs = (t for body in self.bodies for t in body.tensors if isinstance(t.op, Input))
        return {t.shape[-1] for t in inputs if isinstance(t.op, Input) and t.op.average}

    @cached_property
    def bounds(self) -> tuple[tuple[Expr, Expr], ...]:
        """(a, b) for every a that must not exceed b.

        A slice must lie in its axis; causal queries may not outnumber the keys, nor may those
        that a query sees; no more experts are used than there are; windows must end in the padded
        axis and leave no room for one more (or start in it, where one may reach past it), nor may
        one lie outside the axis where that is not zero; and what a table asks for.
        """
        return tuple(dict.fromkeys(self._bounds()))

    def _bounds(self) -> Iterator[tuple[Expr, Expr]]:
        for program in self.bodies:
            for t in program.tensors:
                if isinstance(t.op, Param) and t.op.used and t.op.used[0] != t.op.used[1]:
                    yield t.op.used
                if isinstance(t.op, Slice):
                    whole = t.args[0].shape[t.op.axis]
                    if t.op.start + t.op.length != whole:
                        yield t.op.start + t.op.length, whole
                if isinstance(t.op, Windows | Overlap):
                    whole, parts = (t.args[0], t) if isinstance(t.op, Windows) else (t, t.args[0])
                    axis = t.op.axis
                    yield from _slides(t.op, whole.shape[axis], *parts.shape[axis : axis + 2])
                if isinstance(t.op, Const):
                    yield from t.op.within
                if isinstance(t.op, Contract) and t.op.pairs:
                    queries, keys = t.args[2].shape
                    if queries != keys:
                        yield queries, keys
                    if t.op.pairs.window is not None:
                        yield t.op.pairs.window, keys
                    if t.op.pairs.most is not None:
                        yield keys, t.op.pairs.most


@cache
def _slides(
    op: Windows | Overlap, whole: Expr, number: Expr, kernel: Expr
) -> tuple[tuple[Expr, Expr], ...]:
    """The bounds of windows over an axis; those of most networks are alike."""
    padded, window = whole + 2 * op.padding, op.dilation * (kernel - 1) + 1
    last = (number - 1) * op.stride
    found = []
    if isinstance(op, Windows):
        found.append((padded + 1, number * op.stride + window))
        if op.fill != 0 and op.padding != 0:
            found.append((2 * op.padding, window))
    if op.past:
        return (*found, (last + 1, whole + op.padding), (last + window + 1, padded + op.stride))
    return (*found, (last + window, padded))


@dataclass(frozen=True, eq=False)
class Pullback:
    """The backward program: from the gradients of the outputs to those of the leaves.

    It is written over the forward program's own tensors; those that it mentions must be kept.
    ``again`` are the tensors of recomputed blocks, recorded once more: all of them are computed,
    whether a gradient depends on them or not.
    """

    program: Program
    seeds: tuple[Tensor, ...]
    gradients: dict[Tensor, Tensor] = field(default_factory=dict)
    again: tuple[Tensor, ...] = ()

    @property
    def scope(self) -> Scope:
        """The component whose backward program this is."""
        return self.program.scope

    @cached_property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors of the backward program alone, in order, seeds left out."""
        known = set(self.program.tensors) | set(self.seeds)
        ends = (*self.gradients.values(), *self.again)
        return tuple(t for t in reachable(ends, known) if t not in known)


def reachable(
    ends: tuple[Tensor, ...], stop: set[Tensor] | frozenset[Tensor] = frozenset()
) -> tuple[Tensor, ...]:
    """Return the tensors that ``ends`` depend on, in the order in which they were made.

    The walk does not go beyond the tensors in ``stop``. The named steps of a fused body belong to
    it even where only its stated pull-back uses them (a log-sum-exp, say).
    """
    seen: set[Tensor] = set()
    stack = list(ends)
    while stack:
        tensor = stack.pop()
        if tensor not in seen:
            seen.add(tensor)
            if tensor not in stop:
                stack.extend(tensor.args)
                if tensor.region:
                    stack.extend(tensor.region.named.values())
    return tuple(sorted(seen, key=lambda tensor: tensor.order))


def is_leaf(tensor: Tensor) -> bool:
    """Whether a tensor comes from outside the program: data, a weight or a table."""
    return isinstance(tensor.op, Input | Param | Const)
