"""Recomputed blocks: uses of a component whose inside is not kept, but run again going back.

What enters such a block stays; its forward is built a second time in the backward program,
which then mentions that instead of what was computed on the way there. A component is used so by
``component(x, recompute=True)`` or ``repeat(component, L, x, recompute=True)``; a plan says it of
components of any definition, while its program is built.

Source: Chen et al., *Training Deep Nets with Sublinear Memory Cost* (2016), section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from sympy import Expr, Integer

from symledger.errors import BadInput, nearest, shown
from symledger.ir.building import current_region, current_scope, inside
from symledger.ir.tensor import Defining, Region, Scope, Tensor, is_leaf

FULL, NONE, EARLY, DISCARD = "full", "none", "early", "discard"


@dataclass
class Plan:
    """Which uses of components are run again, by dotted names that their paths end with.

    ``name`` may be several, with commas between them. ``full`` takes all bodies that are repeated.
    With a ``number`` so many applications of a repeated body are run again together: the last ones
    may be fewer, where what is ``known`` of sizes says how many are left over; with ``early`` no
    further than to what is needed; where it ``discards``, what they give is not kept either.
    """

    name: str
    number: int = 1
    early: bool = False
    discards: bool = False
    known: Mapping[str, int] = field(default_factory=dict)
    uses: set[str] = field(default_factory=set)
    repeated: set[str] = field(default_factory=set)
    met: set[str] = field(default_factory=set)
    parts: dict[tuple[Scope, str], Scope] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Each of them."""
        return tuple(self.name.split(","))

    def takes(self, path: tuple[str, ...]) -> bool:
        """Whether a use of a component is run again as it is."""
        self.uses.add(".".join(path))
        return self.number == 1 and self._is_named(path)

    def together(self, path: tuple[str, ...], within: Scope) -> int:
        """How many applications of a repeated body are run again together; 0 where none are."""
        self.repeated.add(".".join(path))
        if self.name == FULL and not _is_recomputed(within):
            self.met.add(FULL)
            return 1
        return self.number if self.number > 1 and self._is_named(path) else 0

    def left_over(self, times: Expr) -> int:
        """How many applications are behind the last full number of so many; 0 if not known.

        Raises:
            BadInput: there are fewer than that number.
        """
        sizes = {s.name: s for s in times.free_symbols}
        n = times.xreplace({s: Integer(self.known.get(name, 0)) for name, s in sizes.items()})
        if not sizes.keys() <= self.known.keys() or not n.is_Integer:
            return 0
        if n < self.number:
            raise BadInput(
                f"{self.number} of {self.name} cannot be run again together: there are {n}."
            )
        return int(n) % self.number

    def again(self, name: str, component: Defining | None, parent: Scope) -> Scope:
        """A use of a component, or of a part of one, that is run again."""
        return Scope(name, component, parent, True, self.early, self.discards)

    def _is_named(self, path: tuple[str, ...]) -> bool:
        found = {n for n in self.names if f".{'.'.join(path)}".endswith(f".{n}")}
        self.met |= found
        return bool(found)


PLAN: ContextVar[Plan | None] = ContextVar("plan", default=None)


def read_plan(text: str) -> Plan | None:
    """Read a plan: ``full``, ``attention.core``, ``block:2``, each with ``:early`` or not.

    Raises:
        BadInput: it is none.
    """
    given, *rest = text.strip().split(":")
    name = ",".join(n.strip() for n in given.split(","))
    early = rest[-1:] == [EARLY]
    discards = rest[-1:] == [DISCARD]
    numbers = rest[: len(rest) - (early or discards)]
    if name == NONE and not rest:
        return None
    whole = bool(numbers) and numbers[0].isascii() and numbers[0].isdecimal()
    number = int(numbers[0]) if whole else 0 if numbers else 1
    several, words = name.split(","), {FULL, NONE}
    if (
        not all(several) or number < 1 or len(numbers) > 1 or (name in words and numbers)
        or (len(several) > 1 and (numbers or words.intersection(several)))
        or (discards and (numbers or name in words))
    ):  # fmt: skip
        raise BadInput(
            f"{shown(text)} is no plan of what is run again: write none, full, the dotted name of "
            "a component, as in attention.core, several of these with commas between them, or "
            "every so many of a repeated one, as in block:2; "
            "with :early behind it, it is run no further than to what is needed, with :discard "
            "what components give is not kept either."
        )
    return Plan(name, number, early, discards)


@contextmanager
def planned(plan: Plan | None) -> Iterator[None]:
    """Build programs with some components run again.

    Raises:
        BadInput: the plan names none of them.
    """
    token = PLAN.set(plan)
    try:
        yield
    finally:
        PLAN.reset(token)
    for name in plan.names if plan else ():
        assert plan
        if name in plan.met:
            continue
        known = plan.uses if plan.number == 1 and plan.name != FULL else plan.repeated
        if not known:
            raise BadInput(f"{shown(name)} cannot be run again here: nothing is repeated.")
        what = "component" if plan.number == 1 else "repeated component"
        raise BadInput(f"no {what} is named {shown(name)}. {nearest(name, known)}")


def part(name: str) -> Scope | None:
    """Return a part of a ``forward`` that the plan has run again, to compute it inside.

    It may be gone into several times. Where there is no such plan, there is none: what is computed
    is the component's own.
    """
    parent, plan = current_scope(), PLAN.get()
    if plan and current_region() is None and plan.takes((*parent.path, name)):
        return plan.parts.setdefault((parent, name), plan.again(name, None, parent))
    return None


def within(name: str) -> inside:
    """Compute what follows in such a part; where there is none, where it is."""
    return inside(part(name) or current_scope())


def use_of(component: Defining | None, name: str, recompute: bool) -> Scope:
    """Return the use of a component that begins here, as the plan has it if there is one."""
    parent, plan = current_scope(), PLAN.get()
    if plan and plan.takes((*parent.path, name)):
        return plan.again(name, component, parent)
    return Scope(name, component, parent, recompute)


def together(name: str, times: Expr) -> tuple[int, int, bool]:
    """How many applications of a body that is repeated here are run again together, and how.

    Behind those that are so many, the last ones may be fewer: that is said second.
    """
    parent, plan = current_scope(), PLAN.get()
    number = plan.together((*parent.path, name), parent) if plan else 0
    if plan is None or number < 2:  # each by itself
        return number, 0, bool(plan and plan.early)
    return number, plan.left_over(times), plan.early


def _is_recomputed(scope: Scope | None) -> bool:
    while scope is not None:
        if scope.recompute:
            return True
        scope = scope.parent
    return False


def block_of(t: Tensor, outer: Scope, within: Scope | None = None) -> Scope | None:
    """Return the outermost recomputed block that a tensor was made in, if there is one.

    Args:
        t: the tensor.
        outer: the component whose program it is part of; blocks around that do not count.
        within: a block that is being run again: only those inside it count then.
    """
    found, at = None, t.scope
    while at is not within:
        found = at if at.recompute else found
        if at is outer:
            return found
        if at.parent is None:
            return None
        at = at.parent
    return found


def run_again(
    block: Iterable[Tensor], entering: Mapping[Tensor, Tensor] | None = None
) -> dict[Tensor, Tensor]:  # fmt: skip
    """Build the tensors of a block once more, in order; leaves stay the same.

    So does what enters, but what is ``entering`` in its place.
    """
    given = dict(entering or {})
    made = dict(given)
    regions: dict[Region, Region] = {}
    for t in block:
        if not is_leaf(t):
            args = tuple(made.get(x, x) for x in t.args)
            region = t.region and regions.setdefault(t.region, Region(t.region.pullback))
            made[t] = Tensor(t.op, args, t.shape, t.storage, scope=t.scope, region=region)
    for old, new in regions.items():
        new.named.update({name: made.get(x, x) for name, x in old.named.items()})
        new.outputs = tuple(made.get(y, y) for y in old.outputs)
    return {t: copy for t, copy in made.items() if t not in given}
