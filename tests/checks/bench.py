"""Components that the checks are tried on, right and wrong."""

from dataclasses import replace

from symledger import sizes
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.components.attention.attention import Attention
from symledger.components.attention.flash import FlashAttention
from symledger.components.attention.masks import causal_mask
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.ops import Pairs
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, einsum, join, maximum, narrow, param, repeat, total
from symledger.readings.pullback import pullback
from symledger.sizes import Size

ATTENTION = Attention(bias=True, causal=True, rotary=True)
RIGHT = {
    "linear": Linear(),
    "layer_norm": LayerNorm(),
    "attention": ATTENTION,
    "flash": FlashAttention(causal=True),
    "block": PreLNBlock(dropout=True),
    "mini_gpt": MiniGPT(),
}


def trials(component, number=1, distinct=False):
    program = program_of(component)
    pull = pullback(program)
    return [Trial(program, pull, sizes_for(program, i, (), distinct), i) for i in range(number)]


class Exponential(Component):
    """A fused body whose stated pull-back forgets a factor of 2."""

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=apply("exp", x * 2))

    def pullback(self, at, dy):
        return {"x": dy * at.y}


class Forgetful(Component):
    """A fused body whose stated pull-back gives no gradient for its weight."""

    signature = "... d -> ... d"

    def forward(self, x):
        g = param("g", x.shape[-1])
        return steps(g=g, y=x * g)

    def pullback(self, at, dy):
        return {"x": dy * at.g}


class Hoarder(Component):
    """A fused body whose stated pull-back mentions a value that influences nothing."""

    signature = "... d -> ... d"

    def forward(self, x):
        c = apply("square", x)
        return steps(c=c, y=x * 2)

    def pullback(self, at, dy):
        return {"x": dy * 2 + at.c * 0}


class Sliced(Component):
    """What is made of the rest of a sequence goes through a map, and is cut off again."""

    signature = "B T d -> B one d"

    def forward(self, x):
        first, rest = narrow(x, 1, 0, 1), narrow(x, 1, 1, x.shape[1] - 1)
        made = apply("square", Linear(sizes.d, sizes.d, bias=False)(rest, name="map"))
        both = join([first, made], axis=1)
        return steps(rest=rest, both=both, y=apply("square", narrow(both, 1, 0, 1)))


class Lying(Component):
    """A map whose result claims a length that it does not have."""

    signature = "... d -> ... d"

    def forward(self, x):
        y = einsum("... i, i o -> ... o", x, param("W", sizes.d, sizes.d_ff))
        return steps(y=einsum("... i, o i -> ... o", replace(y, shape=(*y.shape[:-1], Size("w"))),
                              param("U", sizes.d, Size("w"))))  # fmt: skip


class Shrinking(Component):
    """A fused body whose stated pull-back gives a gradient that is too small."""

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=x * 2)

    def pullback(self, at, dy):
        return {"x": total(dy) * 2}


class WrongPairs(Component):
    """Causal scores that state the pairs below the diagonal only."""

    signature = "B T k, B S k -> B T S"

    def forward(self, q, k):
        T, S = q.shape[1], k.shape[1]
        mask, _ = causal_mask(T, S)
        wrong = Pairs("t", "s", T * S - T * (T + 1) / 2)
        return steps(y=apply("exp", einsum("b t k, b s k -> b t s", q, k, wrong, mask) + mask))


class Unmasked(Component):
    """Scores whose hidden pairs count, although the contraction says that they do not."""

    signature = "B T k, B S k -> B T S"

    def forward(self, q, k):
        mask, pairs = causal_mask(q.shape[1], k.shape[1])
        pairs = replace(pairs, query="t", key="s")
        return steps(y=einsum("b t k, b s k -> b t s", q, k, pairs, mask))


class Residual(Component):
    signature = "... d -> ... d"

    def forward(self, x):
        return steps(
            y=x + apply("silu", einsum("... i, i o -> ... o", x, param("W", sizes.d, sizes.d)))
        )


class Cell(Component):
    """A recurrence's step: a carried state and an input that stays the same."""

    signature = "B d, B k -> B d"

    def forward(self, s, x):
        U = param("U", x.shape[-1], sizes.d)
        return steps(y=apply("tanh", Residual()(s) + einsum("b i, i o -> b o", x, U)))


class Recurrence(Component):
    """Shared weights, a constant input, and a second stack on top."""

    signature = "B d, B k -> B d"

    def forward(self, s, x):
        y = repeat(Cell(), sizes.L, s, x, name="cell", shared=True)
        return steps(y=repeat(Nest(), sizes.L, y, name="nest"))


class Told(Component):
    """Every application makes the same of what enters all of them, and keeps one of its own."""

    signature = "B d, B d -> B d"

    def forward(self, x, c):
        return steps(y=repeat(Scaled(), sizes.L, x, c, name="scaled"))


class Scaled(Component):
    signature = "B d, B d -> B d"

    def forward(self, x, c):
        return steps(y=x * apply("silu", c))


class Handed(Component):
    """A weight that is not the body's own: it is handed to every application."""

    signature = "B d -> B d"

    def forward(self, x):
        return steps(y=repeat(Taking(), sizes.L, x, param("U", sizes.d, sizes.d), name="taking"))


class Taking(Component):
    signature = "B d, d d -> B d"

    def forward(self, x, U):
        return steps(y=apply("tanh", einsum("b i, i o -> b o", x, U)))


class Nest(Component):
    signature = "... d -> ... d"

    def forward(self, x):
        y = repeat(Residual(), Size("M"), x, name="inner")
        return steps(y=apply("tanh", y) * y)


class PlainSoftmax(Component):
    """Softmax pulled back operation by operation: broadcasting, sums, maxima, scattering."""

    signature = "... n -> ... n"

    def forward(self, x):
        e = apply("exp", x - maximum(x))
        return steps(y=e / total(e))
