"""Equations: what is printed is what hand and machine compute."""

import itertools
import math
import re
import shutil
import subprocess
from functools import lru_cache

import numpy as np
import pytest
from sympy import Piecewise, Rational, lambdify, sqrt

from symledger.catalogue.entries import ENTRIES
from symledger.components.attention.attention import Attention
from symledger.components.attention.dot_product import ScaledDotProduct
from symledger.components.attention.flash import FlashAttention
from symledger.components.blocks.blocks import PreLNBlock
from symledger.components.embeddings.embedding import LMHead, TokenEmbedding
from symledger.components.embeddings.positions import LearnedPositions, SinusoidalPositions
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.feed_forward import FeedForward
from symledger.components.heads_and_losses.log_softmax import LogSoftmax
from symledger.components.heads_and_losses.losses import CrossEntropy
from symledger.components.heads_and_losses.softmax import Softmax
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm, RMSNorm
from symledger.ir import functions, scalars
from symledger.ir.functions import function
from symledger.ir.ops import Const, Input, Param
from symledger.ir.scalars import X
from symledger.ir.shapes import ONE
from symledger.ir.tensor import is_leaf
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, einsum, param, view
from symledger.readings.equations.scalar import bound, product, scalar, total
from symledger.readings.equations.sheet import (
    LATEX,
    TEXT,
    backward_equations,
    equations,
    table_equations,
)
from symledger.readings.equations.text import TERMS, Piece
from symledger.readings.numpy.interpreter import Machine
from symledger.readings.numpy.sources import random_leaves
from symledger.readings.pullback import pullback
from symledger.sizes import d, d_k, d_v, h
from symledger.targets.resolve import resolve
from tests.every import WHOLE, account, share
from tests.readings import small
from tests.readings.small import LENGTHS

# --- written by hand ---------------------------------------------------------------------------

GOLDEN = {
    "linear": (
        ["y_bo = Σ_i x_bi W_io + b_o"],
        ["∂x_bi = Σ_o ∂y_bo W_io", "∂W_io = Σ_b x_bi ∂y_bo", "∂b_o = Σ_b ∂y_bo"],
        [r"y_{b o} = \sum_{i} x_{b i} W_{i o} + b_{o}"],
        [
            r"\partial x_{b i} = \sum_{o} \partial y_{b o} W_{i o}",
            r"\partial W_{i o} = \sum_{b} x_{b i} \partial y_{b o}",
            r"\partial b_{o} = \sum_{b} \partial y_{b o}",
        ],
    ),
    "layer_norm": (
        [
            "mu_bt = (1/d) Σ_i x_bti",
            "r_bt = rsqrt((1/d) Σ_i (x_bti - mu_bt)² + 1e-5)",
            "y_bti = (x_bti - mu_bt) r_bt g_i + b_i",
        ],
        [
            "∂x_bti = (∂y_bti g_i - (1/d) Σ_j ∂y_btj g_j - (1/d) (x_bti - mu_bt) r_bt "
            "Σ_j ∂y_btj g_j (x_btj - mu_bt) r_bt) r_bt",
            "∂g_i = Σ_{b, t} ∂y_bti (x_bti - mu_bt) r_bt",
            "∂b_i = Σ_{b, t} ∂y_bti",
        ],
        [
            r"\mu_{b t} = \frac{1}{d} \sum_{i} x_{b t i}",
            r"r_{b t} = \operatorname{rsqrt}\left(\frac{1}{d} \sum_{i} "
            r"{(x_{b t i} - \mu_{b t})}^{2} + 10^{-5}\right)",
            r"y_{b t i} = (x_{b t i} - \mu_{b t}) r_{b t} g_{i} + b_{i}",
        ],
        [
            r"\partial x_{b t i} = \left(\partial y_{b t i} g_{i} - \frac{1}{d} \sum_{j} "
            r"\partial y_{b t j} g_{j} - \frac{1}{d} (x_{b t i} - \mu_{b t}) r_{b t} \sum_{j} "
            r"\partial y_{b t j} g_{j} (x_{b t j} - \mu_{b t}) r_{b t}\right) r_{b t}",
            r"\partial g_{i} = \sum_{b, t} \partial y_{b t i} (x_{b t i} - \mu_{b t}) r_{b t}",
            r"\partial b_{i} = \sum_{b, t} \partial y_{b t i}",
        ],
    ),
    "rms_norm": (
        ["r_bt = rsqrt((1/d) Σ_i x_bti² + 1e-5)", "y_bti = x_bti r_bt g_i"],
        [
            "∂x_bti = (∂y_bti g_i - (1/d) x_bti r_bt Σ_j ∂y_btj g_j x_btj r_bt) r_bt",
            "∂g_i = Σ_{b, t} ∂y_bti x_bti r_bt",
        ],
        [
            r"r_{b t} = \operatorname{rsqrt}\left(\frac{1}{d} \sum_{i} {x_{b t i}}^{2} "
            r"+ 10^{-5}\right)",
            r"y_{b t i} = x_{b t i} r_{b t} g_{i}",
        ],
        [
            r"\partial x_{b t i} = \left(\partial y_{b t i} g_{i} - \frac{1}{d} x_{b t i} r_{b t} "
            r"\sum_{j} \partial y_{b t j} g_{j} x_{b t j} r_{b t}\right) r_{b t}",
            r"\partial g_{i} = \sum_{b, t} \partial y_{b t i} x_{b t i} r_{b t}",
        ],
    ),
    "softmax": (
        ["y_bti = exp(x_bti - max_j x_btj) / Σ_j exp(x_btj - max_k x_btk)"],
        ["∂x_bti = y_bti (∂y_bti - Σ_j ∂y_btj y_btj)"],
        [
            r"y_{b t i} = \frac{\exp\left(x_{b t i} - \max_{j} x_{b t j}\right)}"
            r"{\sum_{j} \exp\left(x_{b t j} - \max_{k} x_{b t k}\right)}"
        ],
        [
            r"\partial x_{b t i} = y_{b t i} \left(\partial y_{b t i} - \sum_{j} "
            r"\partial y_{b t j} y_{b t j}\right)"
        ],
    ),
    "feed_forward": (
        ["u_bti = linear_1(x)_bti", "a_bti = gelu(u_bti)", "y_bti = linear_2(a)_bti"],
        [
            "∂a_bti = linear_2*(∂y)_bti",
            "∂u_bti = ∂a_bti gelu′(u_bti)",
            "∂x_bti = linear_1*(∂u)_bti",
        ],
        [
            r"u_{b t i} = \operatorname{linear\_1}(x)_{b t i}",
            r"a_{b t i} = \operatorname{gelu}(u_{b t i})",
            r"y_{b t i} = \operatorname{linear\_2}(a)_{b t i}",
        ],
        [
            r"\partial a_{b t i} = \operatorname{linear\_2}^{*}(\partial y)_{b t i}",
            r"\partial u_{b t i} = \partial a_{b t i} \operatorname{gelu}'(u_{b t i})",
            r"\partial x_{b t i} = \operatorname{linear\_1}^{*}(\partial u)_{b t i}",
        ],
    ),
    "token_embedding": (
        ["x_bti = E_{tokens_bt, i}"],
        ["∂E_vi = Σ_{b, t} [tokens_bt = v] ∂x_bti"],
        [r"x_{b t i} = E_{\mathrm{tokens}_{b t}, i}"],
        [r"\partial E_{v i} = \sum_{b, t} [\mathrm{tokens}_{b t} = v] \partial x_{b t i}"],
    ),
}

CAUSAL = (
    [
        "scores_{bgrts} = (1/√d_k) Σ_k q_{bt(gr)k} k_{bsgk}",
        "a_{bgrts} = softmax(scores + mask)_{bgrts}",
        "z_{bt(gr)v} = Σ_s a_{bgrts} v_{bsgv}",
    ],
    [
        "∂a_{bgrts} = Σ_v ∂z_{bt(gr)v} v_{bsgv}",
        "∂scores_{bgrts} = softmax*(∂a)_{bgrts}",
        "∂q_{bt(gr)k} = (1/√d_k) Σ_s ∂scores_{bgrts} k_{bsgk}",
        "∂k_{bsgk} = (1/√d_k) Σ_{t, r} q_{bt(gr)k} ∂scores_{bgrts}",
        "∂v_{bsgv} = Σ_{r, t} a_{bgrts} ∂z_{bt(gr)v}",
    ],
    [
        r"\mathrm{scores}_{b g r t s} = \frac{1}{\sqrt{d_k}} \sum_{k} q_{b t (g r) k} k_{b s g k}",
        r"a_{b g r t s} = \operatorname{softmax}(\mathrm{scores} + \mathrm{mask})_{b g r t s}",
        r"z_{b t (g r) v} = \sum_{s} a_{b g r t s} v_{b s g v}",
    ],
    [
        r"\partial a_{b g r t s} = \sum_{v} \partial z_{b t (g r) v} v_{b s g v}",
        r"\partial \mathrm{scores}_{b g r t s} = "
        r"\operatorname{softmax}^{*}(\partial a)_{b g r t s}",
        r"\partial q_{b t (g r) k} = \frac{1}{\sqrt{d_k}} \sum_{s} "
        r"\partial \mathrm{scores}_{b g r t s} k_{b s g k}",
        r"\partial k_{b s g k} = \frac{1}{\sqrt{d_k}} \sum_{t, r} q_{b t (g r) k} "
        r"\, \partial \mathrm{scores}_{b g r t s}",
        r"\partial v_{b s g v} = \sum_{r, t} a_{b g r t s} \partial z_{b t (g r) v}",
    ],
)


def assert_written(program, golden):
    forward, backward, forward_latex, backward_latex = golden
    pull = pullback(program)
    assert [str(e) for e in equations(program)] == forward
    assert [str(e) for e in backward_equations(pull)] == backward
    assert [str(e) for e in equations(program, notation=LATEX)] == forward_latex
    assert [str(e) for e in backward_equations(pull, LATEX)] == backward_latex


@pytest.mark.parametrize("name", GOLDEN)
def test_equations_are_those_written_by_hand(name):
    assert_written(resolve(name).program(), GOLDEN[name])


def test_causal_attention_is_as_written_by_hand():
    assert_written(program_of(ScaledDotProduct(causal=True)), CAUSAL)
    (mask,) = table_equations(program_of(ScaledDotProduct(causal=True)))
    assert str(mask) == "mask_ts = {0 if s ≤ t + S - T; -∞ otherwise}"


def test_a_block_stays_short():
    program = program_of(PreLNBlock())
    assert [str(e) for e in equations(program)] == [
        "middle_bti = x_bti + attention(norm_1(x))_bti",
        "y_bti = middle_bti + feed_forward(norm_2(middle))_bti",
    ]
    assert [str(e) for e in backward_equations(pullback(program))] == [
        "∂middle_bti = ∂y_bti + norm_2*(feed_forward*(∂y))_bti",
        "∂x_bti = ∂middle_bti + norm_1*(attention*(∂middle))_bti",
    ]


def test_a_model_repeats_its_block_and_sums_both_uses_of_its_table():
    program = resolve("mini_gpt").program()
    assert [str(e) for e in equations(program)] == [
        "x_bti = final_norm(block^L(token_embedding(tokens, E)))_bti",
        "logits_btv = head(x, E)_btv",
    ]
    assert str(backward_equations(pullback(program))[-1]) == (
        "∂E_vi = token_embedding*((block^L)*(final_norm*(∂x)))_vi + head*_E(∂logits)_vi"
    )


def test_a_scope_inside_a_program_is_written_with_the_names_of_its_forward():
    program = resolve("gpt2").program()
    scopes = {s.path: s for body in program.bodies for t in body.tensors for s in chain(t.scope)}
    feed = equations(program, scopes["block", "feed_forward"])
    assert [str(e) for e in feed] == [
        "u_bti = linear_1(x)_bti", "a_bti = gelu_tanh(u_bti)", "y_bti = linear_2(a)_bti",
    ]  # fmt: skip
    assert str(equations(program, scopes["block", "feed_forward", "1"])[0]) == (
        "y_bto = Σ_i x_bti W_io + b_o"
    )
    assert str(equations(program, scopes["block",])[0]) == (
        "middle_bti = x_bti + attention(norm_1(x))_bti"
    )


def chain(scope):
    while scope is not None:
        yield scope
        scope = scope.parent


def test_keys_of_a_memory_are_indexed_along_the_memory():
    program = resolve("cached_attention").program()
    assert str(equations(program)[1]) == (
        "k_{bshk} = {past_k_{bshk} if s < S - T; K(x)_{b, s + T - S, (hk)} otherwise}"
    )
    crossed = program_of(Attention(), {"x": "B T d", "memory": "B S d"})
    assert str(equations(crossed)[1]) == "k_{bshk} = K(memory)_{bs(hk)}"
    assert str(equations(crossed)[-1]) == "y_bti = O(bt(hv) ↦ z_{bthv})_bti"


# --- names -------------------------------------------------------------------------------------


class Renamed(Component):
    """A step that has the name of an input."""

    signature = "... d -> ... d"

    def forward(self, x):
        a = apply("tanh", x)
        return steps(x=a, y=x * a)


class Twice(Component):
    """Two results, one made of the other."""

    signature = "B d -> B d, B d"

    def forward(self, x):
        a = apply("tanh", x)
        return steps(a=a, c=a * x)


class Borrowed(Component):
    """The same weight, inside and outside of a child."""

    signature = "B d -> B d"

    def forward(self, x):
        W = param("W", d, d)
        return steps(y=einsum("b i, i o -> b o", Linear(d, d, bias=False)(x, name="Q"), W))


class Split(Component):
    """One axis merged and then split otherwise: a letter has to be taken apart."""

    signature = "B (h d_k) -> B d_k h"

    def forward(self, x):
        return steps(y=view("B (k h) -> B k h", apply("tanh", x), k=d_k, h=h))

    def size_of(self, axis):
        return {"h": h, "d_k": d_k}.get(axis[0]) if len(axis) == 1 else h * d_k


class Shuffled(Component):
    """Two axes merged in one order and split in the other."""

    signature = "B h d_k -> B d_k h"

    def forward(self, x):
        return steps(y=view("B (k h) -> B k h", view("B h k -> B (h k)", x), k=d_k))

    def size_of(self, axis):
        return {"h": h, "d_k": d_k}.get(axis[0])


class Projected(Component):
    """Heads merged, then mapped."""

    signature = "B T h d_v -> B T d"

    def forward(self, z):
        W = param("W", h * d_v, d)
        return steps(y=einsum("... i, i o -> ... o", view("B T h v -> B T (h v)", z), W))

    def size_of(self, axis):
        return {"h": h, "d_v": d_v, "d": d}.get(axis[0])


def test_a_merged_axis_keeps_its_parts_where_it_is_summed():
    program = program_of(Projected())
    assert str(equations(program)[0]) == "y_bto = Σ_{(hv)} z_{bthv} W_{(hv)o}"
    assert [str(e) for e in backward_equations(pullback(program))] == [
        "∂z_{bthv} = Σ_o ∂y_bto W_{(hv)o}",
        "∂W_{(hv)o} = Σ_{b, t} z_{bthv} ∂y_bto",
    ]
    assert str(equations(program, notation=LATEX)[0]) == (
        r"y_{b t o} = \sum_{(h v)} z_{b t h v} W_{(h v) o}"
    )


def test_an_axis_split_otherwise_than_it_was_merged_is_counted_through():
    assert str(equations(program_of(Shuffled()))[0]) == (
        "y_bkh = x_{b, ⌊(kh)/d_k⌋, mod((kh), d_k)}"
    )


class Averaged(Component):
    """A pattern with the letter of a size that stands in the equation too."""

    signature = "B d, B d -> B"

    def forward(self, x, y):
        return steps(y=einsum("b d, b d -> b", x, y) * (1 / d))


def test_an_index_is_never_a_size_of_its_equation():
    assert str(equations(program_of(Averaged()))[0]) == "y′_b = (1/d) Σ_i x_bi y_bi"


def test_two_tensors_never_share_a_name():
    lines = [str(e) for e in equations(program_of(Renamed()))]
    assert lines == ["x′_bti = tanh(x_bti)", "y_bti = x_bti x′_bti"]


def test_an_output_that_is_used_again_gathers_both_gradients():
    lines = [str(e) for e in backward_equations(pullback(program_of(Twice())))]
    assert lines == [
        "∂a_bi = ∂a_out_bi + ∂c_bi x_bi",
        "∂x_bi = ∂c_bi a_bi + ∂a_bi (1 - a_bi²)",
    ]


def test_a_child_is_applied_by_its_name():
    assert str(equations(program_of(Borrowed()))[0]) == "y_bo = Σ_i Q(x)_bi W_io"


class Weighted(Component):
    """Two inputs that do not do the same."""

    signature = "B d, B d -> B d"

    def forward(self, x, weight):
        return steps(y=x * apply("exp", weight))


class Crossed(Component):
    """A child called with what was made last first, and with one tensor twice."""

    signature = "B d, B d -> B d"

    def forward(self, u, v):
        z = Weighted()(v, u, name="core")
        a = apply("tanh", u)
        b = apply("exp", v)
        late = z + Weighted()(b, a, name="late")
        return steps(a=a, b=b, z=z, c=late, y=Weighted()(late, late, name="same"))


def test_a_child_is_written_as_it_was_called():
    program = program_of(Crossed())
    forward = right_sides(equations(program))
    assert forward["z"] == "core(v, u)_bi"
    assert forward["c"] == "z_bi + late(b, a)_bi"
    assert forward["y"] == "same(c)_bi"
    backward = right_sides(backward_equations(pullback(program)))
    assert backward["∂a"] == "late*_weight(∂c)_bi"
    assert backward["∂b"] == "late*_x(∂c)_bi"
    assert backward["∂c"] == "same*(∂y)_bi"


@pytest.mark.parametrize(
    ("name", "step", "call"),
    [
        ("mamba_mixer", "∂dt", "scan*_dt(∂scanned)"),
        ("latent_attention", "∂q", "core*_q(∂z)"),
        ("latent_attention", "∂W_V", "core*_v(∂z)"),
        ("pre_ln_decoder_block", "∂own", "cross_attention*_x(∂other)"),
        ("diffusion_unet", "∂text", "up_1_3_attention*_text(∂z_0)"),
    ],
)
def test_a_gradient_goes_to_the_argument_that_it_is_of(name, step, call):
    assert call in right_sides(account(name).equations()[1])[step]


def right_sides(found):
    return {e.name: str(e).partition(" = ")[2] for e in found}


def test_a_merged_axis_is_named_by_its_parts():
    assert str(equations(program_of(Split()))[0]) == "y_bkh = tanh(x_{b(kh)})"


A, C = scalars.X, scalars.Y
PIECES = {A: Piece("x_i"), C: Piece("y_i")}


@pytest.mark.parametrize(
    ("value", "text", "latex"),
    [
        (A - C, "x_i - y_i", "x_i - y_i"),
        (-(A + C), "-x_i - y_i", "-x_i - y_i"),
        (A * (A + C), "x_i (x_i + y_i)", "x_i (x_i + y_i)"),
        (A / (A + C), "x_i / (x_i + y_i)", r"\frac{x_i}{x_i + y_i}"),
        ((A + C) ** 2, "(x_i + y_i)²", "{(x_i + y_i)}^{2}"),
        (A**-2, "1/x_i²", r"\frac{1}{{x_i}^{2}}"),
        (1 - A**2, "1 - x_i²", "1 - {x_i}^{2}"),
        (Rational(3, 2) * A, "(3/2) x_i", r"\frac{3}{2} x_i"),
        (-A / sqrt(d_k), "-(1/√d_k) x_i", r"-\frac{1}{\sqrt{d_k}} x_i"),
        (A + Rational(1, 10**5), "x_i + 1e-5", "x_i + 10^{-5}"),
        (1 / sqrt(A), "1/√x_i", r"\frac{1}{\sqrt{x_i}}"),
        (Piecewise((A, A > 0), (0, True)), "{x_i if x_i > 0; 0 otherwise}",
         r"\begin{cases} x_i & \text{if } x_i > 0 \\ 0 & \text{otherwise} \end{cases}"),
        (C * Piecewise((1, A > 0), (0, True)), "[x_i > 0] y_i", "[x_i > 0] y_i"),
    ],
)  # fmt: skip
def test_scalar_code_is_written_with_its_precedence(value, text, latex):
    assert scalar(value, PIECES, TEXT).text == text
    assert scalar(value, PIECES, LATEX).text == latex


def test_a_sum_that_is_subtracted_stands_in_parentheses():
    pieces = {A: Piece("x"), C: Piece("a + b", TERMS)}
    assert scalar(A - C, pieces, TEXT).text == "x - (a + b)"
    assert scalar(A + C, pieces, TEXT).text == "x + a + b"
    assert scalar(A * C, pieces, LATEX).text == "x (a + b)"


def test_parentheses_stand_around_what_is_open():
    summed = bound(TEXT, "Σ", ["j"], Piece("x_j"))
    assert product(TEXT, [summed, Piece("y")]).text == "y Σ_j x_j"
    assert product(TEXT, [summed, summed]).text == "(Σ_j x_j) Σ_j x_j"
    assert TEXT.quotient(summed, summed).text == "(Σ_j x_j) / Σ_j x_j"
    assert bound(TEXT, "Σ", ["j"], total(TEXT, [(False, summed), (True, Piece("y"))])).text == (
        "Σ_j (Σ_j x_j - y)"
    )


# --- what is printed is computed ---------------------------------------------------------------

WORD = re.compile(
    r"\s*(?:(?P<number>\d+(?:e-\d+)?)|(?P<name>∂?[^\W\d_²³](?:[^\W_²³]|′|_(?!\{))*(?:_\{[^}]*\})?\*?)"
    r"|(?P<subscript>_\{[^}]*\}|_\w+)|(?P<sign>.))"
)
FUNCTIONS = {
    "exp": math.exp, "log": math.log, "tanh": math.tanh, "sin": math.sin, "cos": math.cos,
    "erf": math.erf, "mod": lambda a, n: a % n,
}  # fmt: skip
COMPARED = {
    "<": lambda a, b: a < b, "≤": lambda a, b: a <= b, ">": lambda a, b: a > b,
    "≥": lambda a, b: a >= b, "=": lambda a, b: a == b,
}  # fmt: skip


def named(name):
    """A named function, or its slope by the difference of two values."""
    value = lambdify(X, function(name.rstrip("′")).value, "math")
    if name.endswith("′"):
        return lambda x: (value(x + 1e-6) - value(x - 1e-6)) / 2e-6
    return value


class Unread(Exception):
    """A child whose computation the test does not know."""


class Reader:
    """Reads a right side in Unicode text back, and evaluates it at given indices."""

    def __init__(self, text, arrays, sizes, children, lengths):
        self.words = [m for m in WORD.finditer(text) if m.group().strip()]
        self.arrays, self.sizes, self.children = arrays, sizes, children
        self.lengths, self.at = lengths, 0

    def read(self):
        value = self.sum()
        assert self.at == len(self.words), f"unread: {self.peek()}"
        return value

    def peek(self):
        return self.words[self.at].group().strip() if self.at < len(self.words) else ""

    def touches(self):
        """Whether the next word follows without a space: f(x) is applied, f (x) multiplied."""
        return self.at < len(self.words) and not self.words[self.at].group()[0].isspace()

    def take(self, expected=None):
        word = self.peek()
        assert expected in (None, word), f"{expected} expected, not {word}"
        self.at += 1
        return word

    def sum(self):
        signs, terms = [], []
        while True:
            signs.append(-1 if self.peek() == "-" else 1)
            if self.peek() in ("-", "+"):
                self.take()
            terms.append(self.quotient())
            if self.peek() not in ("-", "+"):
                return lambda env: sum(s * t(env) for s, t in zip(signs, terms, strict=True))

    def quotient(self):
        above = self.product()
        if self.peek() != "/":
            return above
        self.take()
        below, _ = self.factor()
        return lambda env: above(env) / below(env)

    def product(self):
        factors, conditions = [], []
        stop = ("", ")", "]", "}", "⌋", "+", "-", "/", ";", ",", "if", "otherwise", *COMPARED)
        while self.peek() not in stop:
            is_condition = self.peek() == "["
            factor, is_open = self.factor()
            (conditions if is_condition else factors).append(factor)
            if is_open:
                break
        assert factors or conditions

        def value(env):
            if not all(c(env) for c in conditions):
                return 0
            return math.prod(f(env) for f in factors)

        return value

    def factor(self):
        word = self.take()
        if word.startswith(("Σ_", "max_", "argmax_")):
            return self.over(*word.split("_", 1)), True
        atom = self.atom(word)
        if self.peek() in ("²", "³"):
            power = {"²": 2, "³": 3}[self.take()]
            return lambda env: atom(env) ** power, False
        if self.peek() == "^":
            self.take()
            self.take("(")
            exponent = self.sum()
            self.take(")")
            return lambda env: atom(env) ** exponent(env), False
        return atom, False

    def over(self, kind, under):
        names = under.strip("{}").replace("(", "").replace(")", "").split(", ")
        names = [letter for name in names for letter in name]
        body = self.product()

        def value(env):
            ranges = [range(self.lengths[name]) for name in names]
            found = [body({**env, **dict(zip(names, at, strict=True))})
                     for at in itertools.product(*ranges)]  # fmt: skip
            largest = max(found)
            return {"Σ": sum(found), "max": largest, "argmax": found.index(largest)}[kind]

        return value

    def atom(self, word):
        if word[0].isdigit():
            return lambda env: float(word) if "e" in word else int(word)
        if word == "√":
            inner = self.atom(self.take())
            return lambda env: math.sqrt(inner(env))
        if word == "(":
            if re.fullmatch("[a-z]{2,}", self.peek()) and self.peek() not in self.arrays:
                group = self.take()
                self.take(")")
                return lambda env: merged(group, env, self.lengths)
            inner = self.sum()
            self.take(")")
            return inner
        if word == "⌊":
            inner = self.sum()
            self.take("⌋")
            return lambda env: math.floor(inner(env))
        if word == "[":
            return self.condition("]")
        if word == "{":
            return self.cases()
        if word == "∞":
            return lambda env: math.inf
        if self.peek() == "(" and self.touches():
            return self.applied(word)
        return self.element(word)

    def condition(self, end):
        sides, signs = [self.sum()], []
        while self.peek() in COMPARED:
            signs.append(COMPARED[self.take()])
            sides.append(self.sum())
        if end:
            self.take(end)
        pairs = [(s, a, b) for s, a, b in zip(signs, sides, sides[1:], strict=False)]
        return lambda env: all(s(a(env), b(env)) for s, a, b in pairs)

    def cases(self):
        branches = []
        while True:
            value = self.sum()
            if self.take() == "otherwise":
                self.take("}")
                return lambda env: next((v for v, c in branches if c(env)), value)(env)
            branches.append((value, self.condition("")))
            self.take(";")

    def applied(self, name):
        self.take("(")
        if name in self.children:
            start = self.at
            while self.take() != ")":
                pass
            sums = "".join(m.group() for m in self.words[start : self.at - 1]).split(" + ")
            found = self.children[name](sum(self.arrays[x.strip()] for x in sums))
            places = self.places(self.take())
            return lambda env: found[tuple(p(env) for p in places)]
        if name not in FUNCTIONS and name.rstrip("′") not in functions.FUNCTIONS:
            raise Unread(name)
        inner = [self.sum()]
        while self.peek() == ",":
            self.take()
            inner.append(self.sum())
        self.take(")")
        known = FUNCTIONS.get(name) or named(name)
        return lambda env: known(*(x(env) for x in inner))

    def element(self, word):
        for name in sorted(self.arrays, key=len, reverse=True):
            scalar = word == name and self.arrays[name].ndim == 0
            if scalar or word.startswith(name + "_"):
                places, array = self.places(word[len(name) :]), self.arrays[name]
                assert len(places) == array.ndim, f"{word} has another number of axes"
                return lambda env: array[checked(tuple(p(env) for p in places), array.shape)]
        assert len(word) == 1 or word in self.sizes, f"{word} is not known"
        return lambda env: env[word] if word in env else self.sizes[word]

    def places(self, subscript):
        inner = subscript.removeprefix("_").strip("{}")
        return [self.place(part) for part in apart(inner)]

    def place(self, part):
        if re.fullmatch(r"\([a-z]+\)", part):
            return lambda env: merged(part[1:-1], env, self.lengths)
        return Reader(part, self.arrays, self.sizes, self.children, self.lengths).read()


def apart(subscript):
    """Indices apart from each other: by commas outside of parentheses, or letter by letter."""
    parts = re.split(r", (?![^(]*\))", subscript)
    return parts if len(parts) > 1 else re.findall(r"\([a-z]+\)|.", subscript)


def checked(at, shape):
    assert all(0 <= i < n for i, n in zip(at, shape, strict=True)), f"{at} is outside {shape}"
    return tuple(int(i) for i in at)


def merged(group, env, lengths):
    at = 0
    for letter in group:
        at = at * lengths[letter] + env[letter]
    return at


def squeezed(array, t):
    """Drop the axes of length 1, which have no index."""
    return array.reshape([n for n, size in zip(array.shape, t.shape, strict=True) if size != ONE])


def letter_lengths(equation, arrays, shape):
    """How far each letter runs: along the axes that it stands at."""
    found = {}
    left = re.findall(r"\([a-z]+\)|.", subscript_of(equation.left))
    for part, n in zip(left, shape, strict=True):
        if len(part) == 1:
            found[part] = n
    for m in WORD.finditer(equation.right):
        for name in sorted(arrays, key=len, reverse=True):
            word = m.group().strip()
            if word.startswith(name + "_"):
                inner = word[len(name) + 1 :].strip("{}")
                for part, n in zip(apart(inner), arrays[name].shape, strict=True):
                    if len(part) == 1:
                        found.setdefault(part, n)
                break
    return found, left


def subscript_of(left):
    if "{" in left:
        return left[left.index("{") + 1 : -1]
    return left.rpartition("_")[2] if "_" in left else ""


def evaluate(equation, arrays, sizes, children, shape):
    lengths, left = letter_lengths(equation, arrays, shape)
    letters = [letter for part in left for letter in part.strip("()")]
    value = Reader(equation.right, arrays, sizes, children, lengths).read()
    full = [lengths[letter] for letter in letters]
    found = np.empty(full)
    for at in itertools.product(*(range(n) for n in full)):
        found[at] = value(dict(zip(letters, at, strict=True)))
    return found.reshape(shape)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def assert_computed(program, children=(), unread=()):
    """Every equation, read back from its text, gives what the machine computes.

    ``children`` says, by name, how to compute what children give; ``unread`` names the equations
    that mention other children.
    """
    machine = Machine(LENGTHS)
    rng = np.random.default_rng(7)
    leaves = random_leaves(program, machine.length, rng)
    values, pull = machine.run(program, leaves), pullback(program)
    seeds = {s: rng.standard_normal(machine.shape(s.shape)) for s in pull.seeds}
    gradients = machine.back(pull, values, seeds)
    sizes = {s.name: n for s, n in LENGTHS.items()}
    arrays = {t.op.name: squeezed(values[t], t) for t in program.tensors
              if isinstance(t.op, Input | Param | Const) and t.op.name}  # fmt: skip
    truth = dict(program.scope.steps)
    truth = {n: squeezed(values[t], t) for n, t in truth.items() if not is_leaf(t)}
    outputs = {t: n for n, t in program.scope.steps.items()}
    for seed, y in zip(pull.seeds, program.outputs, strict=True):
        arrays[f"∂{outputs[y]}"] = squeezed(seeds[seed], seed)
    truth |= {f"∂{t.op.name}": squeezed(g, t) for t, g in gradients.items()}
    known = dict(children)
    missed = []
    for e in (*table_equations(program), *equations(program), *backward_equations(pull)):
        shape = [machine.length(n) for n in e.shape if n != ONE]
        functions = {n: (lambda x, f=f: f(x, {**arrays, **truth})) for n, f in known.items()}
        try:
            found = evaluate(e, arrays, sizes, functions, shape)
        except Unread:
            missed.append(e.name)
        else:
            expected = truth.get(e.name, arrays.get(e.name, found))
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8, err_msg=str(e))
            arrays.setdefault(e.name, found)
        if e.name in truth:
            arrays[e.name] = truth[e.name]
    assert missed == list(unread)


SOFTMAX = {
    "softmax": lambda x, at: softmax(x),
    "softmax*": lambda g, at: at["a"] * (g - (g * at["a"]).sum(-1, keepdims=True)),
}
LOG_SOFTMAX = {
    "log_softmax": lambda x, at: np.log(softmax(x)),
    "log_softmax*": lambda g, at: g - np.exp(at["log_p"]) * g.sum(-1, keepdims=True),
}


@pytest.mark.parametrize(
    ("component", "children"),
    [
        (Linear(), {}), (Linear(bias=False), {}), (Softmax(), {}), (LogSoftmax(), {}),
        (LayerNorm(), {}), (RMSNorm(), {}), (TokenEmbedding(), {}), (LMHead(), {}),
        (LearnedPositions(), {}), (SinusoidalPositions(), {}), (RotaryPositions(), {}),
        (FlashAttention(), {}), (FlashAttention(causal=True), {}), (ScaledDotProduct(), SOFTMAX),
        (ScaledDotProduct(causal=True), SOFTMAX), (CrossEntropy(), LOG_SOFTMAX),
        (resolve("dropout").component, {}),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else str(value),
)  # fmt: skip
def test_what_is_printed_is_computed(component, children):
    assert_computed(program_of(component), children)


SMALL = ("Act", "Binary", "Cell", "Centred", "Collect", "Decoder", "Frozen", "Lookup", "Norm",
         "Outer", "Peak", "Pick", "Product", "Residual", "Scaled", "Scores", "Shifted", "Tied",
         "Transpose")  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_what_is_printed_of_every_operation_is_computed(name):
    assert_computed(program_of(getattr(small, name)()))


@pytest.mark.parametrize("function", functions.FUNCTIONS)
def test_what_is_printed_of_every_function_is_computed(function):
    assert_computed(program_of(small.Pointwise(function)))


def test_names_of_several_results_and_split_axes_are_computed():
    assert_computed(program_of(Renamed()))
    assert_computed(program_of(Split()))
    assert_computed(program_of(Shuffled()))
    assert_computed(program_of(Projected()))


# --- the catalogue -----------------------------------------------------------------------------


def lines(program, notation):
    return [
        *table_equations(program, notation=notation),
        *equations(program, notation=notation),
        *backward_equations(pulled_back(program), notation),
    ]


pulled_back = lru_cache(maxsize=2)(pullback)  # two programs, each in two notations


WORDY = ("cohere_compass", "cohere_vision", "differential_attention", "gated_delta_mixer",
         "gemma3_vision", "granite_speech", "hunyuan_vision", "instructblip", "instructblip_llama",
         "got_ocr2", "internvl",
         "mllama_vision", "phi4_sound_encoder",
         "lfm3_vl", "minicpm_v", "parakeet", "qwen3_asr",
         "qwen3_sound_encoder", "qwen3_vl", "qwen3_vl_moe", "sound_encoder",
         "transducer")  # fmt: skip
LONGEST = {"diffusion_unet": 2200, "sdxl_unet": 1700, "lightning_attention": 1200,
           "matrix_memory": 1200,
           "gated_delta_rule": 1000, "kimi_delta_rule": 1000, "kimi_delta_mixer": 750,
           "deformable_attention": 700, "shared_key_attention": 800,
           **dict.fromkeys(("voxtral", "music_flamingo", "glm_asr", "qwen2_5_omni"), 750),
           "qwen3_omni": 950, "kosmos2": 700, "minimax_m3_vl": 700, "lfm2_vl": 600,
           "mistral_large4_vl": 600, "canary": 600, "sam": 600, "owl": 900, "rt_detr": 1500,
           "hrm_text": 600,
           **dict.fromkeys(("detr", "conditional_detr", "table_transformer", "maskformer",
                            "deformable_detr"), 900),
           "llava_next": 900, "llava_onevision": 900,
           "video_llava": 900, "phi4_multimodal": 1300, **dict.fromkeys(WORDY, 600)}  # fmt: skip
"""Characters, where it is not 500: all its blocks read the same step and the same text, chunks of
what is left out are summed within a sum, one map is of several, one attention is run for either
half of the values, ends of heads are turned by themselves, six maps start at one input, images are
fused, all weights of two stacks are given, or images or sounds stand among words."""


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_every_entry_is_written_shortly_and_always_alike(name):
    programs = account(name).program, resolve(name).program()
    for notation in (TEXT, LATEX):
        once, again = (lines(p, notation) for p in programs)
        assert [str(e) for e in once] == [str(e) for e in again]
        longest = LONGEST.get(name, 500)  # windows of a volume are the longest
        assert all(0 < len(str(e)) <= longest for e in once)
        assert not any(re.search(r"_i0(?![a-z])|_letter", str(e)) for e in once)


@WHOLE
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_with_amsmath_alone(tmp_path):
    programs = [account(entry.name).program for entry in share(ENTRIES, 10)]
    programs += [program_of(ScaledDotProduct(causal=True, dropout=True))]
    programs += [program_of(Renamed()), program_of(Twice())]
    programs += [program_of(getattr(small, name)()) for name in (*SMALL, "Encoded", "UsesCentred")]
    body = [rf"\[ {e} \]" for program in programs for e in lines(program, LATEX)]
    page = r"\documentclass{article}\usepackage{amsmath}\begin{document}"
    (tmp_path / "page.tex").write_text("\n".join([page, *body, r"\end{document}"]))
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)  # noqa: S603
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_functions_that_are_named_are_those_of_scalar_code():
    u = program_of(FeedForward(activation="relu"))
    assert [str(e) for e in backward_equations(pullback(u))][1] == "∂u_bti = ∂a_bti [a_bti > 0]"
