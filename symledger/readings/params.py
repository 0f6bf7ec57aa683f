"""How many parameters, and where? The sizes of the weights, each object once."""

from __future__ import annotations

from sympy import Integer

from symledger.core.ops import Call, Param
from symledger.core.program import Program
from symledger.core.tensor import Scope, Tensor
from symledger.readings.tally import Amount, Tally


def params(program: Program) -> Tally:
    """Return the weights of a program, each in the component that uses it first.

    A weight used again elsewhere is tied: there it appears with nothing, under its own name.
    """
    items: list[Amount | Tally] = []
    seen: dict[Tensor, set[Scope]] = {}
    for t in program.tensors:
        for arg in t.args:
            if isinstance(arg.op, Param) and t.scope not in seen.setdefault(arg, set()):
                first = not seen[arg]
                seen[arg].add(t.scope)
                own = arg.size if first else Integer(0)
                items.append(Amount(t.scope, own, arg.op.name, arg.shape))
        if isinstance(t.op, Call):
            body = params(t.op.body)
            items.append(Tally(body.scope, body.items, Integer(1) if t.op.shared else t.op.times))
    return Tally(program.scope, tuple(items))
