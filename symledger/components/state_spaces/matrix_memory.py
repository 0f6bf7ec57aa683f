"""Matrix memory (mLSTM): keys write values, gated by exponentials, a chunk of tokens at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, Integer, Pow, Rational, floor

from symledger import sizes
from symledger.components.state_spaces.chunks import between, past, summed
from symledger.ir.building import leave_idle
from symledger.ir.functions import larger
from symledger.ir.region import Values
from symledger.ir.tensor import Tensor, pointwise
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import (
    apply,
    argmax,
    copied,
    einsum,
    join,
    maximum,
    narrow,
    reduce,
    remembered,
    scan,
    scatter,
    state,
    table,
    total,
    view,
)
from symledger.sizes import Size

BECK = "Beck et al., xLSTM: Extended Long Short-Term Memory (2024)"
SLOW = "transformers 5.23, mlstm_chunkwise_native_autograd"
Rest = Literal["none", "some", "all"]
"""Which tokens are in no chunk: none, those after the last whole one, all."""


def written(m: Tensor, fading: Tensor, new: Tensor) -> tuple[Tensor, Tensor]:
    """Return the larger of two exponents, and how much of what was remembered is left by it."""
    top = pointwise(larger(), fading + m, new)
    return top, apply("exp", fading + m - top)


def divisor(read: Tensor, top: Tensor) -> Tensor:
    """Return what a reading is divided by: the sum of its weights, but not too little."""
    return pointwise(larger(), apply("abs", read), apply("exp", top * Integer(-1)))


@dataclass(frozen=True)
class Largest(Component):
    """The largest element along an axis. Fused: kept is where it stands, and not the input."""

    signature: ClassVar[str] = "... n -> ... one"

    def forward(self, x: Tensor) -> Steps:
        return steps(place=argmax(x), y=maximum(x))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send each element of dy back to where the largest one stood."""
        return {"x": scatter(dy, at.place, at.x.shape, batch=at.x.rank - 1)}


@dataclass(frozen=True)
class MemoryChunk(Component):
    """What one chunk leaves of the memory, and writes to it; and what it begins with."""

    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    Q: Expr = sizes.Q

    signature: ClassVar[str] = (
        "B h d_k d_v, B h d_k, B h, B h Q d_k, B h Q d_v, B h Q, B h, B h"
        " -> B h d_k d_v, B h d_k, B h, B h d_k d_v, B h d_k, B h"
    )

    def forward(
        self, C: Tensor, n: Tensor, m: Tensor, k: Tensor, v: Tensor, a: Tensor, highest: Tensor,
        fading: Tensor,
    ) -> Steps:  # fmt: skip
        begins = {"C_0": copied(C), "n_0": copied(n), "m_0": copied(m)}
        top, left = written(m, fading, highest)
        gate = apply("exp", a - view("B h -> B h ()", top))
        keys = k * view("B h l -> B h l ()", gate)
        C = view("B h -> B h () ()", left) * C + einsum("B h l k, B h l v -> B h k v", keys, v)
        n = view("B h -> B h ()", left) * n + reduce(keys, (2,))
        return steps(C=C, n=n, m=top, **begins)


@dataclass(frozen=True)
class ChunkReading(Component):
    """What queries of chunks read: all pairs within each, and the memory that it begins with."""

    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    Q: Expr = sizes.Q

    signature: ClassVar[str] = (
        "B h c Q d_k, B h c Q d_k, B h c Q d_v, B h c Q, B h c Q, B h c d_k d_v, B h c d_k, B h c"
        " -> B h c Q d_v"
    )

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, b: Tensor, i: Tensor, C: Tensor, n: Tensor,
        m: Tensor,
    ) -> Steps:  # fmt: skip
        scale = Pow(self.d_k, Rational(-1, 2))
        log = between(b, b) + past(self.Q) + view("B h c s -> B h c () s", i)
        behind = view("B h c l -> B h c l ()", b + view("B h c -> B h c ()", m))
        top = pointwise(larger(), behind, Largest()(log, name="largest"))
        pairs = einsum("B h c l k, B h c s k -> B h c l s", q, k) * scale * apply("exp", log - top)
        asked = q * apply("exp", behind - top) * scale
        read = einsum("B h c l k, B h c k v -> B h c l v", asked, C)
        read = read + einsum("B h c l s, B h c s v -> B h c l v", pairs, v)
        known = view("B h c l -> B h c l ()", einsum("B h c l k, B h c k -> B h c l", asked, n))
        under = divisor(known + total(pairs), top)
        return steps(top=top, pairs=pairs, asked=asked, read=read, under=under, y=read / under)


@dataclass(frozen=True)
class MemoryStep(Component):
    """One token: the memory fades, takes it in, and is read."""

    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v

    signature: ClassVar[str] = (
        "B h d_k d_v, B h d_k, B h, B h d_k, B h d_k, B h d_v, B h, B h"
        " -> B h d_k d_v, B h d_k, B h, B h d_v"
    )

    def forward(
        self, C: Tensor, n: Tensor, m: Tensor, q: Tensor, k: Tensor, v: Tensor, i: Tensor, f: Tensor
    ) -> Steps:
        top, left = written(m, apply("log_sigmoid", f), i)
        taken = apply("exp", i - top)
        key, value = (view("B h c -> B h () c", x) for x in (k, v))
        outer = einsum("B h o k, B h o v -> B h k v", key, value)
        wide = (view("B h -> B h () ()", x) for x in (left, taken))
        C = next(wide) * copied(C) + next(wide) * outer  # the reference copies what it multiplies
        n = view("B h -> B h ()", left) * copied(n) + view("B h -> B h ()", taken) * k
        q = q * Pow(self.d_k, Rational(-1, 2))
        weights = einsum("B h k, B h k -> B h", q, n)
        read = einsum("B h k, B h k v -> B h v", q, C)
        h = read / view("B h -> B h ()", divisor(weights, top))
        return steps(C=C, n=n, m=top, h=h)


@dataclass(frozen=True)
class MatrixMemory(Component):
    """A memory of h matrices that keys write values to, with gates that are exponentials (mLSTM).

    C_t = f_t C_{t−1} + e^{i_t} k_t v_tᵀ and n_t = f_t n_{t−1} + e^{i_t} k_t, with a sigmoid f_t; a
    query reads C_tᵀ q_t / max(|n_tᵀ q_t|, 1). All are divided by the exponential of the largest
    exponent, which is carried beside them. In chunks of Q tokens, of which there are two at least,
    all pairs are multiplied, as in attention, and what came before is read from the memory; tokens
    after the last whole chunk come one by one: ``rest`` says whether there are such, and whether
    they are all. What the last chunk leaves is laid down beside what the others did, so that it is
    kept and gone back through, though nothing but such tokens reads it.

    Sums along a chunk are written as masked sums. That a small number is added before dividing is
    left out. With ``cached``, the T tokens go on from a remembered state one by one.
    Source: Beck et al., *xLSTM* (2024), section 2.3; transformers 5.23,
    ``mlstm_chunkwise_native_autograd`` and ``mlstm_recurrent_sequence_native``.
    """

    h: Expr = sizes.h
    d_k: Expr = sizes.d_k
    d_v: Expr = sizes.d_v
    Q: Expr = sizes.Q
    n_c: Expr = sizes.n_c
    rest: Rest = "none"
    cached: bool = False

    signature: ClassVar[str] = "B T h d_k, B T h d_k, B T h d_v, B T h, B T h -> B T h d_v"
    title: ClassVar[str] = "matrices that keys write values to, gated by exponentials, in chunks"
    definitions: ClassVar[dict[Size, Expr]] = {sizes.n_c: floor(sizes.T / sizes.Q)}
    references: ClassVar[tuple[str, ...]] = (f"{BECK}, section 2.3", SLOW)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, i: Tensor, f: Tensor) -> Steps:
        T, given = q.shape[1], (q, k, v, i, f)
        if self.cached or self.rest == "all":
            found = {"read": self.stepwise(self.beginning(v), heads_first(given))}
        elif self.rest == "none":
            found, memory = self.chunked(T / self.Q, heads_first(given))
            remember(memory)
        else:
            whole = self.n_c * self.Q
            early, late = (
                heads_first(narrow(x, 1, start, length) for x in given)
                for start, length in ((0, whole), (whole, T - whole))
            )
            found, memory = self.chunked(self.n_c, early)
            both = [found["read"], self.stepwise(memory, late)]
            found = {**found, "both": join(both, axis=2)}
        return steps(**found, y=view("B h T v -> B T h v", [*found.values()][-1]))

    def beginning(self, v: Tensor, *within: tuple[Expr, Expr]) -> tuple[Tensor, ...]:
        """Return what is remembered, or nothing: matrices, sums of weights, exponents."""
        widths = {"C": (self.d_k, self.d_v), "n": (self.d_k,), "m": ()}
        return tuple(
            remembered(f"past_{name}", v.shape[0], self.h, *width) if self.cached
            else table(name, lambda *at: Integer(0), v.shape[0], self.h, *width, within=within)
            for name, width in widths.items()
        )  # fmt: skip

    def stepwise(self, memory: tuple[Tensor, ...], given: list[Tensor]) -> Tensor:
        """Go on from a memory, token by token."""
        step = MemoryStep(self.h, self.d_k, self.d_v)
        *last, y = scan(step, given[0].shape[2], memory, name="step", axis=2, over=tuple(given),
                        shared=True, ends=True)  # fmt: skip
        remember(last)
        return y

    def chunked(
        self, number: Expr, given: list[Tensor]
    ) -> tuple[dict[str, Tensor], tuple[Tensor, ...]]:
        """Pass the memory from chunk to chunk, and read it; the steps of it, and what is left."""
        q, k, v = (view("B h (c l) k -> B h c l k", x, l=self.Q) for x in given[:3])
        i, f = (view("B h (c l) -> B h c l", x, l=self.Q) for x in given[3:])
        b = summed(apply("log_sigmoid", f))
        whole = narrow(b, -1, self.Q - 1, 1)
        a = whole - b + i
        widths = (self.h, self.d_k, self.d_v, self.Q)
        flat = (view("B h c one -> B h (c one)", x) for x in (Largest()(a, name="highest"), whole))
        start = self.beginning(v, (Integer(2), number))  # a single one is laid down in no copy
        passed = scan(MemoryChunk(*widths), number, start, name="chunk", axis=2,
                      over=(k, v, a, *flat), shared=True)  # fmt: skip
        C, n, m = (self.begun(number, *pair) for pair in zip(passed[3:], passed[:3], strict=True))
        y = ChunkReading(*widths)(q, k, v, b, i, C, n, m, name="reading")
        read = view("B h c l v -> B h (c l) v", y)
        return {"b": b, "a": a, "C": C, "n": n, "m": m, "read": read}, passed[:3]

    def begun(self, number: Expr, before: Tensor, last: Tensor) -> Tensor:
        """Return what chunks begin with, of all that is laid down: what the last one leaves too."""
        rest = " ".join("abc"[: last.rank - 2])
        every = join([before, view(f"B h {rest} -> B h () {rest}", last)], axis=2)
        begun = narrow(every, 2, 0, number)
        return copied(begun) if last.rank > 2 else begun  # what products read is copied


def remember(memory: Iterable[Tensor]) -> None:
    """Mark what is kept between decoding steps."""
    for each in memory:
        leave_idle(state(each))


def heads_first(given: Iterable[Tensor]) -> list[Tensor]:
    """Lay sequences down head by head."""
    return [copied(view("B T h -> B h T" if x.rank == 3 else "B T h c -> B h T c", x))
            for x in given]  # fmt: skip
