"""Programs: what calling a component leaves behind, and its backward companion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import attrgetter
from typing import Any

from sympy import Expr, Symbol

from symledger.ir.ops import (
    Call,
    Const,
    Contract,
    Input,
    Leaf,
    Overlap,
    Param,
    Rearrange,
    Slice,
    Windows,
)
from symledger.ir.region import Region
from symledger.ir.tensor import Scope, Shape, Tensor
from symledger.sizes import text_of

IN_ORDER = attrgetter("order")


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
    def _kinds(self) -> dict[type, list[Tensor]]:
        found: dict[type, list[Tensor]] = {}
        for t in self.tensors:
            found.setdefault(type(t.op), []).append(t)
        return found

    def of(self, *kinds: type[Any]) -> list[Tensor]:
        """Return the tensors that some kinds of operations make, in order.

        Large networks have thousands of tensors, and most questions are about few of them.
        """
        found = [t for kind in kinds for t in self._kinds.get(kind, ())]
        return sorted(found, key=IN_ORDER) if len(kinds) > 1 else found

    @cached_property
    def params(self) -> tuple[Tensor, ...]:
        """The weights, each object once; those of repeated bodies are in their bodies."""
        return tuple(self.of(Param))

    @cached_property
    def calls(self) -> tuple[Tensor, ...]:
        """The repeated bodies."""
        return tuple(self.of(Call))

    @property
    def masks(self) -> bool:
        """Whether some contraction runs over masked pairs, at any depth."""
        return any(isinstance(t.op, Contract) and t.op.pairs for t in self._everywhere(Contract))

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

    def _everywhere(self, *kinds: type[Any]) -> list[Tensor]:
        """The tensors of some kinds here and in all bodies."""
        return [t for body in self.bodies for t in body.of(*kinds)]

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes that there are, in all bodies, each once."""
        return tuple(dict.fromkeys(t.shape for body in self.bodies for t in body.tensors))

    @cached_property
    def entering(self) -> tuple[Expr, ...]:
        """The size symbols in the shapes of what enters, by name."""
        found = {s for t in self.inputs for length in t.shape for s in length.free_symbols}
        return tuple(sorted(found, key=str))

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """Every size symbol in a shape, in how windows slide, or in a number of anything."""
        mentioned = {length for shape in self.shapes for length in shape}
        for t in self._everywhere(Call, Windows, Overlap, Contract, Param):
            match t.op:
                case Call(times=times):
                    mentioned.add(times)
                case Windows() | Overlap() as op:
                    mentioned.update((op.stride, op.padding, op.dilation))
                case Contract(pairs=pairs) if pairs:
                    mentioned.add(pairs.count)
                case Param(used=used) if used:
                    mentioned.update(used)
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
        found = dict.fromkeys(length for shape in self.shapes for length in shape)
        for t in self._everywhere(Rearrange, Call, Windows, Overlap):
            match t.op:
                case Rearrange(sizes=sizes):
                    found.update((length, None) for _, length in sizes)
                case Call(times=times):
                    found[times] = None
                case Windows(padding=padding) | Overlap(padding=padding):
                    if not padding.is_Symbol:
                        found[padding] = None
        return tuple(length for length in found if not length.is_Integer)

    @cached_property
    def numbers(self) -> set[Expr]:
        """What must be whole and may be zero: L − 1 further layers, a padding of (K − 1)/2."""
        ops = [t.op for t in self._everywhere(Call, Windows, Overlap)]
        found = {op.times for op in ops if isinstance(op, Call) and not op.times.is_Symbol}
        found |= {op.padding for op in ops if isinstance(op, Windows | Overlap)}
        return found - {n for shape in self.shapes for n in shape}

    @cached_property
    def averages(self) -> set[Expr]:
        """The lengths that are averages, and need not be whole: rows of an expert."""
        inputs = self._everywhere(Input)
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
        for t in self._everywhere(Param, Slice, Windows, Overlap, Const, Contract):
            match t.op:
                case Param(used=(used, experts)) if used != experts:
                    yield used, experts
                case Slice(axis, start, length):
                    whole = t.args[0].shape[axis]
                    if start + length != whole:
                        yield start + length, whole
                case Windows(axis=axis) | Overlap(axis=axis) as op:
                    long, parts = (t.args[0], t) if isinstance(op, Windows) else (t, t.args[0])
                    yield from _slides(op, long.shape[axis], *parts.shape[axis : axis + 2])
                case Const(within=within):
                    yield from within
                case Contract(pairs=pairs) if pairs:
                    queries, keys = t.args[2].shape
                    if queries != keys:
                        yield queries, keys
                    if pairs.window is not None:
                        yield pairs.window, keys
                    if pairs.most is not None:
                        yield keys, pairs.most


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
    fused: set[Region] = set()
    stack = list(ends)
    while stack:
        tensor = stack.pop()
        if tensor not in seen:
            seen.add(tensor)
            if tensor not in stop:
                stack.extend(tensor.args)
                if tensor.region and tensor.region not in fused:
                    fused.add(tensor.region)
                    stack.extend(tensor.region.named.values())
    return tuple(sorted(seen, key=IN_ORDER))


def is_leaf(tensor: Tensor) -> bool:
    """Whether a tensor comes from outside the program: data, a weight or a table."""
    return isinstance(tensor.op, Leaf)
