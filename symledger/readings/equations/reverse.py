"""The backward program of a component, seen from its own steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symledger.ir.ops import Const, Input, Param
from symledger.ir.tensor import Program, Scope, Tensor
from symledger.readings.equations.outline import Applied, Outline, Sheet, call_name, labels
from symledger.readings.pullback import pullback

Target = tuple[str, Tensor]
"""What an equation is asked for: a name and the tensor that it names."""


class Reverse:
    """A component's backward pass over its own operations, its children as units.

    The program is cut at named steps and at what children give: those become inputs, and what
    defines a step or enters a child becomes an output. The pull-back of the cut program has an
    incoming gradient at each cut: ∂step for a step, and for what enters a child f its f*.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline, self.forward, self.sheet = outline, outline.sheet(), Sheet()
        self.cut: dict[Tensor, Tensor] = {}
        self.made: dict[Tensor, Tensor] = {}
        self.gradients: dict[Tensor, Tensor] = {}
        self.step_of: dict[Tensor, Tensor] = {}

    def run(self, leaves: Sequence[Tensor]) -> tuple[Sheet, list[Target]]:
        """Return what the gradients may mention, and the gradients that lead to the leaves."""
        for t in (*self.outline.entering, *self.outline.tensors):
            self._cut(t)
        self.sheet.note_uses((*self.cut.values(), *self.made.values()))
        children = self.outline.children.items()
        heard = [(inner, child) for inner, child in children if child.outputs]  # others are idle
        entering = [(inner, x) for inner, child in heard for x in child.entering]
        used = {x for t in (*self.cut.values(), *self.made.values()) for x in t.args}
        used |= {self.cut[x] for _, x in entering}
        again = [t for t in self.outline.body.outputs if self.cut[t] in used]
        ends = [*self.made.values(), *(self.cut[t] for t in (*again, *(x for _, x in entering)))]
        inputs = tuple(t for t in self.cut.values() if isinstance(t.op, Input))
        pull = pullback(Program(self.outline.scope, inputs, tuple(ends)))
        for t, new in self.cut.items():
            if new in pull.gradients:
                self.gradients[t] = pull.gradients[new]
                self.sheet.like.setdefault(pull.gradients[new], new)
        self.sheet.like |= zip(pull.seeds, ends, strict=True)
        seeds = iter(pull.seeds)
        for t in self.made:
            self._name(next(seeds), t)
        for t in again:
            self.sheet.names[next(seeds)] = f"∂{self.forward.names[t]}_out"
        for inner, x in entering:
            self.sheet.applied[next(seeds)] = self._back(inner, x)
        return self.sheet, self._targets(leaves)

    def _cut(self, t: Tensor) -> None:
        name, inside = self.forward.names.get(t), self.outline.child(t)
        given = t in self.forward.applied
        if inside is not None and not given and not isinstance(t.op, Param | Const):
            return
        new = t
        if t.args and not given and t not in self.outline.entering:
            new = replace(t, args=tuple(self.cut[x] for x in t.args))
            if name is not None:
                self.made[t], self.sheet.names[new] = new, name
        if given or t in self.made:
            new = replace(t, op=Input(""), args=(), region=None)
        self.cut[t] = new
        if name is not None:
            self.sheet.names[new] = name
        elif given:
            made = self.forward.applied[t]
            self.sheet.applied[new] = replace(made, args=tuple(self.cut[x] for x in made.args))
        if t in self.made:
            self.sheet.like[new] = self.made[t]

    def _name(self, gradient: Tensor, step: Tensor) -> Tensor:
        self.sheet.names[gradient] = f"∂{self.forward.names[step]}"
        self.step_of[gradient] = step
        return gradient

    def _back(self, inner: Scope, x: Tensor) -> Applied:
        """The pull-back of a child to one of the tensors that enter it."""
        child = self.outline.children[inner]
        incoming = []
        for y in child.outputs:
            if y in self.forward.names:
                seed = Tensor(Input("gradient"), (), y.shape, scope=self.outline.scope)
                incoming.append(self._name(seed, y))
            elif y in self.gradients:
                incoming.append(self.gradients[y])
        named = dict(zip(child.entering, labels(inner, child.entering), strict=True))
        several = sum(has_gradient(e) for e in child.entering) > 1
        label = named[x] if several else ""
        return Applied(call_name(inner), tuple(incoming), back=True, label=label)

    def _targets(self, leaves: Sequence[Tensor]) -> list[Target]:
        """The gradients of the leaves, and before them of the steps that they go through."""
        through, seen = set[Tensor](), set[Tensor]()
        leaves = [t for t in leaves if t in self.gradients]  # a result may be an input itself
        stack = [self.gradients[t] for t in leaves]
        while stack:
            x = stack.pop()
            if x in seen:
                continue
            seen.add(x)
            stack += self.sheet.parts(x)
            step = self.step_of.get(x)
            if step in self.gradients:
                through.add(step)
                stack.append(self.gradients[step])
        steps = sorted(through, key=lambda t: -t.order)
        return [(f"∂{self.forward.names[t]}", self.gradients[t]) for t in (*steps, *leaves)]


def has_gradient(t: Tensor) -> bool:
    """Whether a gradient can be asked for a tensor."""
    return t.storage in ("value", "statistic") and not isinstance(t.op, Const)
