"""Which arguments of a module are sizes, which of them deepen it, and what divides.

Every argument that is a whole number is changed by itself, and the module run again: what changes
nothing is no size; what changes lengths alone is one; what changes which operations run makes the
module deeper. A change that the module refuses is tried in larger steps, those first that its
constructor was heard to divide by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count

from sympy import Expr, Integer, Symbol, ilcm

from symledger.errors import BadInput
from symledger.tracing.folds.observed import Observed
from symledger.tracing.modules.guess import guessed
from symledger.tracing.modules.lists import pattern_of
from symledger.tracing.modules.subject import Subject
from symledger.tracing.runs.routes import FIRST_ROWS
from symledger.tracing.spaces.behind import shifted
from symledger.tracing.spaces.space import DEEP, Space, unfolded, whole_numbers
from symledger.tracing.spaces.understood import check_understood

ROUNDS, MOST_ROUNDS = 7, 16
"""How many rounds of a loop are enough, and from how many on there are more than that."""
FEWEST = 3
"""How many rounds show how they repeat."""
SHALLOW = 3
"""How deep a module is built at first: enough for something to repeat."""
STEPS = (1, 2, 3, 4, 6, 8, 16, 32)
FURTHER = (2, 3, 5)
"""By how many steps a length that enters is changed as well."""
FACTORS = (1, 2, 4, 8, 16)
"""How many times what divides a size silently it may have to be changed by: windows of patches."""
USUAL = {"B": 2, "T": 12, "S": 10, "H": 64, "W": 96, "D": 16}
"""The free lengths that what enters has at first."""


def explored(subject: Subject, shallow: int = SHALLOW, loops: bool = True) -> Space:
    """Find out which arguments are sizes; build the module ``shallow`` layers deep from then on.

    Where what runs depends on a size, ``loops`` in Python are folded, and all is looked at again.

    Raises:
        BadInput: the module does not run as it is built by default.
    """
    subject.loops = False
    found = _explored(subject, shallow)
    if not loops or not any(why == OTHERWISE for why in found.failed.values()):
        return found
    subject.loops = True
    other = _explored(subject, shallow)
    if other.least:
        return other
    subject.loops = False
    return found


OTHERWISE = "what runs depends on it"
"""Why an argument is no size: other operations run, in the same modules."""


def _explored(
    subject: Subject, shallow: int, whole: frozenset[str] = frozenset(),
    brief: frozenset[str] = frozenset(),
) -> Space:  # fmt: skip
    """Explore the arguments of a module once.

    Arguments that are called like depths and are none, as what they repeat is in no list of them,
    keep the value that was asked for; they are ``whole``. Those that say how many rounds a loop has
    are ``brief``: loops are looked at in few rounds.
    """
    own = whole_numbers(subject)
    if not subject.inputs:
        subject.inputs = guessed(subject, unfolded(subject, own, heard=True))
    free = {axis for x in subject.inputs for axis in x.axes if not axis.isdecimal()} - own.keys()
    lengths = {axis: subject.given.get(axis, USUAL.get(axis, 10)) for axis in sorted(free)}
    asked = {**own, **lengths}
    base = {**asked, **{n: USUAL.get(n, 10) for n in brief & free}}
    space = Space(subject, base, asked)
    first = space.observe(base, heard=True)
    check_understood(first.recording)
    if not first.recording.outputs:
        raise BadInput(f"{subject.name}.forward returns no tensor: let it return what it computes, "
                       "alone, in a list or a tuple, by name or in a data class.")  # fmt: skip
    for name in subject.rows.values():  # they are sizes of their own
        free |= {name}
        space.base[name] = asked[name] = FIRST_ROWS + len(free)
    if subject.rows:
        first = space.observe(space.base, heard=True)
    likely = [n for n in own if DEEP.search(n) and base[n] > shallow and n not in whole]
    likely += [n for n in brief if n in own and n not in likely and n not in whole]
    for name in likely:  # most of the time is spent on depth: less of it, if that goes
        try:
            few = max(shallow, ROUNDS) if name in brief else shallow
            first = space.observe({**space.base, name: few}, heard=True)
            space.base = first.at
        except BadInput:
            continue
    divided = {str(a) for a, b in space.heard if a.is_Symbol and b.free_symbols}
    for name in sorted([*own, *sorted(free)], key=lambda n: n not in divided):
        if name in subject.kept:
            space.fixed.append(name)
        elif name not in space.ties:
            _classify(space, name, first)
    counted = {n for n in space.least if n in likely or base[n] > MOST_ROUNDS} - brief
    fixed = {n for n in likely if n not in space.depths and space.base[n] != base[n]}
    fixed -= {*counted, *brief}
    if fixed or counted:
        return _explored(subject, shallow, whole | fixed, brief | counted)
    for name, step in space.steps.items():  # only sizes stay in steps
        gone = {s: Integer(space.base[s.name]) for s in step.free_symbols
                if s.name not in space.sizes}  # fmt: skip
        kept = {s: Integer(1) for s in gone if s.name in space.ties}
        space.steps[name] = step.xreplace({**gone, **kept})
    return space


def _classify(space: Space, name: str, first: Observed) -> None:
    """Say what an argument does, by changing it in the first way that the module takes.

    A change that makes other modules run deepens it. One after which the same modules do something
    else is no answer: the argument may be meant to be as large as another one; then both change.
    So is one of a length that enters after which no further change of its kind is taken: what is
    rounded down hides the first.
    """
    why, otherwise, spare = "", False, None
    for step, others in candidates(space, name):
        value = space.base[name] + space.value(step)
        if value < 1:
            continue
        try:
            other = space.observe(space.moved({name: value, **dict.fromkeys(others, value)}))
        except BadInput as error:
            why = why or str(error)
            continue
        deepened = other.layers != first.layers and not reshapes(other, first)
        if other.structure != first.structure and not deepened:
            otherwise = True
            space.subject.lists |= {pattern_of(path) for path in longer(other, first)}
            continue
        if other.structure == first.structure and not _goes_on(space, name, step):
            spare = spare or (step, others, other)
            continue
        _classified(space, name, step, others, other, first)
        return
    if spare is not None:
        _classified(space, name, *spare, first)
        return
    space.fixed.append(name)
    space.failed[name] = OTHERWISE if otherwise else why


def _classified(
    space: Space, name: str, step: Expr, others: list[str], other: Observed, first: Observed
) -> None:
    """Note what a change by a step has shown an argument to be."""
    if other.structure != first.structure:
        space.depths.append(name)
    elif other.lengths != first.lengths:
        space.sizes.append(name)
        size = -step if space.value(step) < 0 else step
        space.steps[name] = size if space.base[name] % space.value(size) == 0 else Integer(1)
        if other.rounds != first.rounds:
            least = space.base[name] - min(first.rounds) + FEWEST
            space.least[name] = max(1, min(least, space.base[name]))
    else:
        space.fixed.append(name)
    for tied in others:
        space.ties[tied] = name


def _goes_on(space: Space, name: str, step: Expr) -> bool:
    """Whether a length that enters may be changed by more such steps, one way or the other."""
    if name in space.subject.arguments:
        return True
    here, by = space.base[name], space.value(step)
    return any(
        here + sign * max(FURTHER) * by > 0
        and all(_runs(space, {name: here + sign * n * by}) for n in FURTHER)
        for sign in (1, -1)
    )


def _runs(space: Space, changed: Mapping[str, int]) -> bool:
    """Whether the module runs with some arguments changed."""
    try:
        space.observe(space.moved(changed))
    except BadInput:
        return False
    return True


def reshapes(other: Observed, first: Observed) -> bool:
    """Whether weights have other shapes, too: how many experts there are is no depth.

    What stands at the end of a list that has become longer stands there under another number.
    """
    moved = longer(other, first)
    return any(
        first.weights.get(name, shape) != shape and not any(
            other.weights.get(shifted(name, path, by)) == first.weights[name]
            for path, by in moved.items()
        )
        for name, shape in other.weights.items()
    )  # fmt: skip


def longer(other: Observed, first: Observed) -> dict[str, int]:
    """Return the lists of which another number of modules runs, and how many more."""
    found: Counter[str] = Counter()
    for sign, run in ((1, other), (-1, first)):
        for layer in run.layers:
            found[layer.rpartition(".")[0]] += sign
    return {path: by for path, by in found.items() if by}


def candidates(space: Space, name: str) -> Iterator[tuple[Expr, list[str]]]:
    """Yield the steps in which a size may be changed, and what is changed with it.

    First what was heard to divide it, then numbers; alone, and then together with what is as large.
    """
    here = space.base[name]
    own = Symbol(name)
    heard = [b for a, b in space.heard
             if (a / own).is_Integer and b.free_symbols and own not in b.free_symbols]
    heard += [b for a, b in space.heard if a == here and a.is_Integer and b.free_symbols]
    several: Expr = Integer(1)
    for b in dict.fromkeys(heard):
        several = several * b
    steps: list[Expr] = [several * n for n in (1, 2, 4)] if heard else []
    steps.append(Integer(1))
    numbers = [b for a, b in space.heard if (a / own).is_Integer and b.is_Integer and b > 1]
    if numbers:  # what they leave a rest of, a module may take at some multiples of something else
        steps += [several * ilcm(1, *numbers), *(several * b for b in dict.fromkeys(numbers))]
    yield from ((step, []) for step in steps)
    silent = [] if heard else list(needed(space, name))
    least = min((space.value(b) for b in silent), default=0)
    steps = [Integer(n) for n in STEPS if n < least]  # what these do, no argument divides
    steps += [b * n for b in silent for n in FACTORS]
    steps += [Integer(n) for n in STEPS if n >= least]
    steps += list(dict.fromkeys(heard))
    if here > 1:
        steps.append(Integer(here))
    alike = [
        n for n, v in space.base.items()
        if v == here and n != name and n not in space.ties and n not in space.sizes
    ]  # fmt: skip
    yield from ((step, []) for step in steps)
    yield from ((-step, []) for step in steps)  # where it may not be larger
    listed = [n for n in alike if n.rpartition(".")[0] == name.rpartition(".")[0] != ""]
    if len(listed) > 1:
        yield from ((step, listed) for step in steps[:6])
    for tied in alike:
        yield from ((step, [tied]) for step in steps[:6])


def needed(space: Space, name: str) -> Iterator[Expr]:
    """Yield the arguments that divide one without saying so: changed alone, the module refuses.

    Heads are such of a width, where ``view(B, T, h, -1)`` divides, and no Python code does.
    """
    here = space.base[name]
    for other, n in space.base.items():
        if other == name or not 1 < n < here or here % n:
            continue
        try:
            space.observe(space.moved({other: next(m for m in count(n + 1) if here % m)}))
        except BadInput:
            yield Symbol(other)
