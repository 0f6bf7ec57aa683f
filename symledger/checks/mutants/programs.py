"""Programs with one mistake in them.

A mistake is made in a definition, and the backward program follows it; or in the forward or the
backward program alone, and the two no longer belong together. What makes another right program
(another size, another number of layers) differs from what PyTorch has, or from what is on record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import cache, partial

from sympy import Expr

from symledger.checks.mutants import mistakes
from symledger.checks.mutants.hunting import REFUSED, account, another, killer
from symledger.checks.mutants.mistakes import Mistake
from symledger.checks.mutants.mutant import SURVIVED, Mutant
from symledger.checks.mutants.rewriting import Rewriting
from symledger.checks.runner import BYTES, PRICES
from symledger.checks.sampling import sizes_for
from symledger.checks.saved_set import saved_set
from symledger.checks.trial import Trial
from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.errors import SymledgerError
from symledger.ir.ops import Map, Max, Repeat
from symledger.ir.tensor import CallBack, Pullback, Tensor
from symledger.readings.pullback import is_zero, pullback
from symledger.readings.saved import Kept, kept, saved

TARGETS = (
    "linear", "cached_attention", "flash_attention", "feed_forward", "gated_feed_forward",
    "layer_norm", "rms_norm", "softmax", "log_softmax", "dropout", "token_embedding",
    "learned_positions", "rotary_positions", "tied_embedding", "cross_entropy",
)  # fmt: skip
"""Small, and together of every operation but repetition."""

MODELS = ("mini_gpt", "llama")
"""Where a block is repeated."""

REPEATED = ("axiom_call", "axiom_call_shared", "axiom_call_scan", "rnn")
"""Small, with a repetition to go back through."""


def mutants() -> Iterator[Mutant]:
    """Yield every mistake of every kind in every small target."""
    for name in TARGETS:
        program, back = account(name).program, backward(name)
        yield from _rewritten(name, "definition", program.tensors, mistakes.in_definitions)
        yield from _rewritten(name, "storage", kept(back).roots, mistakes.in_storage)
        yield from _rewritten(name, "forward", program.tensors, mistakes.in_programs)
        yield from _rewritten(name, "backward", back.tensors, mistakes.in_programs)
        yield from _untied(name)
        yield from _forgotten_gradients(name)
        yield from _saved_sets(name)
    for name in MODELS:
        yield from _rewritten(name, "another", account(name).program.calls, mistakes.in_calls)
        yield from _untied(name)
    for name in REPEATED:
        back = backward(name)
        inner = (x for t in back.tensors if isinstance(t.op, CallBack) for x in t.op.body.tensors)
        yield from _rewritten(name, "backward", (*back.tensors, *inner), mistakes.in_programs)
        yield from _forgotten_gradients(name)
    for name in (*TARGETS, "attention", *MODELS):
        yield from _symbols(name)


@cache
def backward(name: str) -> Pullback:
    """Return the backward program of a target as it is, without a mistake."""
    return pullback(account(name).program)


def _rewritten(
    name: str, where: str, tensors: Iterable[Tensor],
    possible: Callable[[Tensor], Iterable[Mistake]],
) -> Iterator[Mutant]:  # fmt: skip
    for t in tensors:
        for mistake in possible(t):
            if not _harmless(t, mistake):
                yield _mutant(name, where, t, mistake)


def _harmless(t: Tensor, mistake: Mistake) -> bool:
    """Whether it changes nothing.

    Softmax stays the same when its argument is shifted, or all its exponentials are scaled; zeros
    stay zeros.
    """
    if isinstance(t.op, Repeat):
        return is_zero(t)
    if not isinstance(t.op, Map):
        return False
    if mistake.kind == "dropped term" and any(isinstance(x.op, Max) for x in t.args):
        return isinstance(t.scope.component, Softmax | LogSoftmax)
    scaled = mistake.kind == "coefficient" and t.op.code.name == "exp"
    return scaled and isinstance(t.scope.component, Softmax)


def _mutant(name: str, where: str, t: Tensor, mistake: Mistake) -> Mutant:
    label = f"{name}, {where}: {t} of {t.scope.name} is {mistake.what}"

    def hunt() -> str:
        try:
            rewriting = Rewriting(t, mistake.change)
            program = rewriting.program(account(name).program)
            if where == "storage":
                return _kept(pullback(program)) or another(name, program)
            if where == "another":
                return another(name, program)
            if where == "definition":
                return killer(name, program)
            return killer(name, program, rewriting.pullback(backward(name), program))
        except SymledgerError:
            return REFUSED

    return Mutant(mistake.kind, label, hunt, type(t.op).__name__)


def _untied(name: str) -> Iterator[Mutant]:
    """Take a new weight wherever one is used again."""
    program = account(name).program
    for weight in program.params:
        for t in [t for t in program.tensors if weight in t.args][1:]:
            yield _mutant(name, "definition", t, mistakes.in_uses(t, weight))


def _forgotten_gradients(name: str) -> Iterator[Mutant]:
    back = backward(name)
    for leaf in back.gradients:
        rest = {other: g for other, g in back.gradients.items() if other is not leaf}
        hunt = partial(killer, name, back.program, replace(back, gradients=rest))
        yield Mutant("forgotten gradient", f"{name}: that of {back.program.path(leaf)}", hunt)


def _saved_sets(name: str) -> Iterator[Mutant]:
    """Drop each tensor of the saved set, and keep each other one as well."""
    found = kept(backward(name))
    for t in found.roots:
        less = replace(found, roots=tuple(other for other in found.roots if other is not t))
        yield Mutant("saved set", f"{name}: without {t}", partial(_kept, backward(name), less))
    for t in backward(name).program.tensors:
        if t.args and t not in found.roots:
            more = replace(found, roots=(*found.roots, t))
            hunt = partial(_kept, backward(name), more)
            yield Mutant("saved set", f"{name}: {t} as well", hunt)


def _kept(back: Pullback, k: Kept | None = None) -> str:
    trial = Trial(back.program, back, sizes_for(back.program))
    evidence = saved_set(trial, saved(back, PRICES).total, BYTES, k)
    return SURVIVED if evidence.passed else evidence.kind


def _symbols(name: str) -> Iterator[Mutant]:
    """Put each size of a definition where another one belongs."""
    component = account(name).target.component
    values = {f.name: getattr(component, f.name) for f in fields(component)}  # type: ignore[arg-type]  # a dataclass
    own = [field for field, value in values.items() if value in account(name).program.symbols]
    for field in own:
        for other in own:
            if other != field:
                wrong = {field: values[other]}
                hunt = partial(_with_sizes, name, wrong)
                yield Mutant("wrong symbol", f"{name}: {other} where {field} belongs", hunt)


def _with_sizes(name: str, wrong: dict[str, Expr]) -> str:
    of = account(name)
    try:
        component = replace(of.target.component, **wrong)  # type: ignore[type-var]  # a dataclass
        return another(name, replace(of.target, component=component).program())
    except SymledgerError:
        return REFUSED
