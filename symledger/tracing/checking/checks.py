"""What a trace says, compared with what PyTorch says: quantity by quantity, each where it can be.

Every dimension of every operation has been compared before there is a trace at all. Here its
readings are: parameters, FLOPs forward and backward, bytes kept, and at a small point all values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sympy import Expr, Integer

from symledger.errors import SymledgerError
from symledger.ir.ops import Storage
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Program
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.tally import Tally
from symledger.traces.checked import Checked
from symledger.traces.graph import Traced
from symledger.traces.lowering import program_of
from symledger.tracing.checking.comparing import compare_run, sizes_at
from symledger.tracing.checking.measured import Measured, measured, unnumbered
from symledger.tracing.modules.subject import Subject
from symledger.tracing.spaces.space import Space, unfolded

Point = Mapping[str, int]
BYTES: dict[Storage, Expr] = {
    "value": Integer(4), "statistic": Integer(4), "mask": Integer(1), "index": Integer(8),
}  # fmt: skip
"""Of an element, as PyTorch has them in single precision."""
CLAIMS = {
    "params": "unique parameters",
    "flops.forward": "forward FLOPs of torch.utils.flop_counter",
    "flops.backward": "backward FLOPs of torch.utils.flop_counter",
    "memory.saved": "bytes of all storages that autograd keeps",
}


def checks(traced: Traced, space: Space) -> tuple[Checked, ...]:
    """Compare a trace with its module, at every point at which it was verified.

    A check that cannot be made is one that failed, with the reason.
    """
    points = [{traced.names[s]: n for s, n in p.items()} for p in traced.points]
    at = [space.tied({**space.base, **p}) for p in points]
    found = list(_counted(traced, space.subject, at))
    return (*found, _values(traced, space))


def checked(traced: Traced, space: Space) -> Traced:
    """Return a trace with what its checks found."""
    return replace(traced, checks=(*traced.checks, *checks(traced, space)))


def verify(traced: Traced, subject: Subject, at: Point) -> tuple[Checked, ...]:
    """Compare a trace with its module at one further point: everything but the values.

    ``at`` has the sizes by the names of the constructor's arguments.
    """
    return tuple(_counted(traced, subject, [at]))


def together(before: Sequence[Checked], more: Sequence[Checked]) -> tuple[Checked, ...]:
    """Return checks with those at further points: what failed once has failed."""
    found = {c.quantity: c for c in before}
    for c in more:
        first = found.get(c.quantity)
        if first is None:
            found[c.quantity] = c
        elif first.passed:
            found[c.quantity] = replace(c, points=first.points + c.points)
    return tuple(found.values())


def _counted(
    traced: Traced, subject: Subject, points: Sequence[Point]
) -> Iterator[Checked]:
    sizes = [_symbols(sizes_at(traced, at)) for at in points]
    program = program_of(traced.graph, None, traced.name, tuple(
        {s: int(n) for s, n in at.items()} for at in sizes
    ))  # fmt: skip
    try:
        said = [measured(subject, unfolded(subject, at), at) for at in points]
    except (SymledgerError, RuntimeError) as error:  # a backward pass that PyTorch cannot run
        yield from (
            Checked(quantity, claim, 0, "", False, f"it could not be made: {first_line(error)}")
            for quantity, claim in CLAIMS.items()
        )
        return
    for quantity, tally, known in readings(program):
        found = compared(quantity, tally.total, [known(m) for m in said], sizes, said)
        if quantity == "memory.saved" and not found.passed:
            found = replace(found, detail=f"{found.detail}; {by_line(tally, said[0], sizes[0])}")
        yield found


def readings(program: Program) -> Iterator[tuple[str, Tally, Callable[[Measured], int]]]:
    """Yield what is compared: the quantity, its amounts, and PyTorch's number for it."""
    back = pullback(program)
    yield "params", params(program), lambda m: m.params
    yield "flops.forward", contraction_flops(program), lambda m: m.forward
    yield "flops.backward", contraction_flops(back), lambda m: m.backward
    yield "memory.saved", saved(back, BYTES), lambda m: m.saved - sum(m.artefacts.values())


def by_line(tally: Tally, said: Measured, at: Mapping[Expr, Expr]) -> str:
    """Say in which modules the bytes differ, with ours and PyTorch's."""
    ours: dict[str, Expr] = {}
    known = sorted(said.where, key=len, reverse=True)
    for path, amount in amounts(tally):
        of = next((k for k in known if path == k or path.startswith(f"{k}.") or not k), path)
        ours[of] = ours.get(of, Integer(0)) + amount.xreplace(dict(at))
    lines = [
        f"{path or 'forward'}: {ours.get(path, 0)}, PyTorch {said.where.get(path, 0)}"
        for path in dict.fromkeys([*ours, *said.where])
        if ours.get(path, 0) != said.where.get(path, 0)
    ]  # fmt: skip
    return "by module " + "; ".join(lines[:4])


def amounts(tally: Tally, times: Expr = ONE) -> Iterator[tuple[str, Expr]]:
    """Yield every amount with the path of where it arises."""
    for item in tally.items:
        if isinstance(item, Tally):
            yield from amounts(item, times * tally.times)
        else:
            yield unnumbered(".".join(item.scope.path)), item.own * times * tally.times


def compared(
    quantity: str, formula: Expr, known: Sequence[int], sizes: Sequence[Mapping[Expr, Expr]],
    said: Sequence[Measured],
) -> Checked:  # fmt: skip
    """Compare a formula with numbers, at each point; name what is known to differ."""
    ours = [formula.xreplace(dict(at)) for at in sizes]
    wrong = [
        f"the formula gives {a}, PyTorch {b} at {_named(at)}"
        for a, b, at in zip(ours, known, sizes, strict=True) if a != b
    ]  # fmt: skip
    claim = CLAIMS[quantity]
    if quantity == "memory.saved":
        artefacts = sorted({name for m in said for name in m.artefacts})
        claim += f" but {', '.join(artefacts)}" if artefacts else ""
    if wrong and quantity == "params" and said[0].unused:
        wrong[0] += f"; used by nothing: {', '.join(said[0].unused[:5])}"
    worst = max(abs(a - b) for a, b in zip(ours, known, strict=True))
    return Checked(quantity, claim, len(known), str(worst), not wrong, "; ".join(wrong[:2]))


def _values(traced: Traced, space: Space) -> Checked:
    """Run both at a small point."""
    claim = "outputs and all gradients, run in NumPy beside PyTorch in double precision"
    try:
        found, at = compare_run(space.subject, traced, space)
    except (SymledgerError, ArithmeticError, LookupError, ValueError, RuntimeError) as error:
        return Checked("values", claim, 0, "", False, f"it could not be made: {first_line(error)}")
    here = ", ".join(f"{n} = {at[n]}" for n in traced.names.values())
    said = (f"{claim}, within {found.tolerance:.0e} at {here}"
            + (f"; {'; '.join(found.quiet)} left out" if found.quiet else "")
            + "".join(f"; {said}" for said in found.routed))  # fmt: skip
    return Checked(
        "values", said, 1, f"{found.worst:.1e}", not found.wrong,
        str(found) if found.wrong else "",
    )  # fmt: skip


def first_line(error: Exception) -> str:
    """The first line of what an error says."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _symbols(at: Mapping[Expr, int]) -> dict[Expr, Expr]:
    return {s: Integer(n) for s, n in at.items()}


def _named(at: Mapping[Expr, Expr]) -> str:
    return ", ".join(f"{s} = {n}" for s, n in at.items())
