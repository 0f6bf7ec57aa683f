"""Small programs for what no component does yet, and sizes to run any program at."""

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr

from symledger import sizes
from symledger.ir.region import Values
from symledger.notation.component import Component, steps
from symledger.notation.verbs import (
    apply,
    einsum,
    expand,
    gather,
    join,
    maximum,
    mean,
    narrow,
    over_rows,
    pad,
    param,
    reduce,
    repeat,
    scatter,
    state,
    table,
    total,
    view,
)
from symledger.sizes import Size, T, d

M = Size("M", "repetitions within a repetition")
P = Size("P", "positions in the cache")
N = sizes.n

LENGTHS: Mapping[Size, int] = {
    sizes.B: 2, sizes.T: 3, sizes.S: 5, sizes.V: 13, sizes.L: 3, M: 2, P: 7, N: 5,
    sizes.d: 11, sizes.h: 4, sizes.h_kv: 2, sizes.d_h: 6, sizes.d_k: 6, sizes.d_v: 5,
    sizes.d_ff: 17, sizes.d_in: 7, sizes.d_out: 5, sizes.T_max: 19,
    sizes.d_s: 7, sizes.d_p: 3,
    sizes.L_enc: 2, sizes.L_dec: 3, sizes.V_seg: 3, sizes.d_r: 3, sizes.w: 2,
    sizes.n_b: 4, sizes.E: 3, sizes.k: 2, sizes.E_s: 2, sizes.T_e: 4, sizes.N: 7,
}  # fmt: skip
"""Small; primes where nothing must divide."""


@dataclass(frozen=True)
class Pointwise(Component):
    """One named function."""

    function: str = "tanh"

    signature = "... d -> ... d"

    def forward(self, x):
        positive = self.function in ("log", "sqrt", "rsqrt", "three_quarters")
        return steps(y=apply(self.function, apply("square", x) + 1 if positive else x))


@dataclass(frozen=True)
class Act(Component):
    """One named function and nothing else."""

    function: str = "tanh"

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=apply(self.function, x))


@dataclass(frozen=True)
class Binary(Component):
    """One operator between two tensors, one or both of them broadcast."""

    op: str = "+"

    signature = "B d, d -> B d"

    def forward(self, x, w):
        column = narrow(x, -1, 0, 1)
        return steps(y={"+": x + w, "-": x - w, "*": column * w, "/": x / w}[self.op])


@dataclass(frozen=True)
class Product(Component):
    """Two activations multiplied."""

    signature = "... d, ... d -> ... d"

    def forward(self, x, y):
        return steps(z=x * y)


@dataclass(frozen=True)
class Residual(Component):
    """Two activations added, scaled and averaged: all of it linear."""

    signature = "... d, ... d -> ... d"

    def forward(self, x, y):
        return steps(z=(x + y) * 3 - mean(x))


@dataclass(frozen=True)
class Transpose(Component):
    """The same elements in another order."""

    signature = "B T d -> B d T"

    def forward(self, x):
        return steps(y=view("B T d -> B d T", x))


@dataclass(frozen=True)
class Scores(Component):
    """The products of queries and keys."""

    signature = "B T h d_k, B S h d_k -> B h T S"

    def forward(self, q, k):
        return steps(s=einsum("b t h k, b s h k -> b h t s", q, k))


@dataclass(frozen=True)
class Norm(Component):
    """The squared length of each row: one tensor on both sides of a contraction."""

    signature = "B d -> B"

    def forward(self, x):
        return steps(y=einsum("b i, b i -> b", x, x))


@dataclass(frozen=True)
class Peak(Component):
    """Each row times its maximum."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=x * maximum(x))


@dataclass(frozen=True)
class Shifted(Component):
    """Slices joined, padded and added along the time axis."""

    signature = "B T d -> B T d"

    def forward(self, x):
        ends = join([narrow(x, 1, T - 1, 1), narrow(x, 1, 0, T - 1)], axis=1)
        tail = pad(narrow(x, 1, 1, T - 1), 1, 0, T)
        return steps(y=ends * tail + x)


@dataclass(frozen=True)
class Outer(Component):
    """A row of sums, copied and summed again."""

    signature = "B d -> d"

    def forward(self, x):
        column = total(x)
        return steps(y=reduce(expand(column * column, x.shape) * x, (0,)))


@dataclass(frozen=True)
class Lookup(Component):
    """Rows of a learned table, the sum of what was picked put beside them."""

    signature = "B T in V -> B T d"

    def forward(self, tokens):
        return steps(y=apply("tanh", gather(param("E", sizes.V, d), tokens)))


@dataclass(frozen=True)
class Collect(Component):
    """Rows added into a table at whole numbers."""

    signature = "B T d, B T in V -> V d"

    def forward(self, x, index):
        return steps(y=apply("square", scatter(x, index, (sizes.V, d))))


@dataclass(frozen=True)
class Pick(Component):
    """Rows of each example at whole numbers, and the way back."""

    back: bool = False

    signature = "B S d, B T in S -> B T d"

    def forward(self, x, index):
        rows = apply("square", gather(x, index, batch=1))
        if not self.back:
            return steps(y=rows)
        spread = scatter(rows, index, x.shape, batch=1)
        return steps(y=gather(apply("square", spread), index, batch=1))


@dataclass(frozen=True)
class Tied(Component):
    """One matrix used twice."""

    signature = "... d -> ... d"

    def forward(self, x):
        W = param("W", d, d)
        once = apply("tanh", einsum("... i, i o -> ... o", x, W))
        return steps(once=once, twice=einsum("... i, i o -> ... o", once, W))


@dataclass(frozen=True)
class Cell(Component):
    """x W through tanh: what every application of the repetitions below does."""

    bias: bool = False

    signature = "B d -> B d"

    def forward(self, x):
        u = einsum("b i, i o -> b o", x, param("W", d, d))
        return steps(y=apply("tanh", u + param("b", d) if self.bias else u))


@dataclass(frozen=True)
class Stack(Component):
    """A repetition, of a cell or of a repetition of cells, with weights of their own or shared."""

    times: Expr = sizes.L
    shared: bool = False
    nested: bool = False
    shared_inside: bool = False

    signature = "B d -> B d"

    def forward(self, x):
        body = Stack(M, self.shared_inside) if self.nested else Cell()
        return steps(y=repeat(body, self.times, x, name="stack", shared=self.shared))


@dataclass(frozen=True)
class Decoder(Component):
    """A cell that looks at the same memory every time."""

    signature = "B d, S d -> B d"

    def forward(self, x, memory):
        a = einsum("b i, s i -> b s", einsum("b i, i o -> b o", x, param("W", d, d)), memory)
        return steps(a=a, y=x + apply("tanh", einsum("b s, s i -> b i", a, memory)))


@dataclass(frozen=True)
class Encoded(Component):
    """Decoder cells over a memory that is itself computed."""

    shared: bool = False

    signature = "B d, S d -> B d"

    def forward(self, x, source):
        memory = apply("tanh", einsum("s i, i o -> s o", source, param("U", d, d)))
        y = repeat(Decoder(), sizes.L, x, memory, name="decoder", shared=self.shared)
        return steps(memory=memory, y=y)


@dataclass(frozen=True)
class Recurrent(Component):
    """A cell from a learned table of zeros: what enters the first application has no gradient."""

    L: Expr = sizes.L
    shared: bool = False
    bias: bool = False

    signature = "B d -> B d"

    def forward(self, x):
        start = table("h0", lambda i, j: (i + 2 * j) / 10, *x.shape)
        y = repeat(Cell(self.bias), self.L, start, name="cell", shared=self.shared)
        return steps(y=y * x)


@dataclass(frozen=True)
class Centred(Component):
    """Fused, with two results: the mean and what is left."""

    signature = "B d -> B one, B d"

    def forward(self, x):
        mu = mean(x)
        return steps(mu=mu, c=apply("square", x - mu))

    def pullback(self, at: Values, dmu, dc) -> Mapping:
        u = dc * (at.x - at.mu) * 2
        return {"x": u - mean(u) + dmu / at.x.shape[-1]}


@dataclass(frozen=True)
class UsesCentred(Component):
    """Both results of a fused body, or one of them."""

    which: str = "both"

    signature = "B d -> B d"

    def forward(self, x):
        mu, c = Centred().apply(x)
        return steps(y={"both": mu * c, "mean": x + mu, "rest": x * c}[self.which])


@dataclass(frozen=True)
class Scaled(Component):
    """Fused, with a weight of its own and its own stated pull-back."""

    signature = "B d -> B d"

    def forward(self, x):
        g = param("g", d)
        return steps(g=g, y=x * g)

    def pullback(self, at: Values, dy) -> Mapping:
        return {"x": dy * at.g, "g": over_rows(dy * at.x)}


@dataclass(frozen=True)
class Frozen(Component):
    """A matrix that is not trained."""

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=einsum("... i, i o -> ... o", x, param("W", d, d, trainable=False)))


@dataclass(frozen=True)
class Cache(Component):
    """Half of what is computed is kept between decoding steps."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=state(x * x) + x)


