"""Components: what a signature demands, how a misuse is told, what a trace records."""

from dataclasses import dataclass

import pytest
from sympy import Expr, Integer

from symledger import sizes
from symledger.errors import DefinitionError, ShapeError
from symledger.ir.naming import snake
from symledger.ir.ops import Input
from symledger.ir.tensor import Tensor
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import einsum, param, repeat, total
from symledger.sizes import B, S, T, V, d, d_ff, d_in, d_out, h


def data(*shape):
    return Tensor(Input("x"), (), shape)


@dataclass(frozen=True)
class Linear(Component):
    d_in: Expr = sizes.d_in
    d_out: Expr = sizes.d_out
    bias: bool = True
    kind: str = "plain"

    signature = "... d_in -> ... d_out"

    def forward(self, x):
        y = einsum("... i, i o -> ... o", x, param("W", self.d_in, self.d_out))
        return steps(y=y + param("b", self.d_out) if self.bias else y)


@dataclass(frozen=True)
class FeedForward(Component):
    forgetful: bool = False

    signature = "... d -> ... d"

    def forward(self, x):
        u = Linear(d, d_ff)(x, name="up")
        return steps(u=u, y=Linear(d_ff, d)(x if self.forgetful else u, name="down"))


@dataclass(frozen=True)
class MiniGPT(Component):
    forgetful: bool = True

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=repeat(FeedForward(self.forgetful), sizes.L, x, name="block"))


@dataclass(frozen=True)
class Pair(Component):
    signature = "... d, ... d -> ... d, ... d"

    def forward(self, x, y=None):
        return steps(both=x if y is None else x + y, x=x)


@dataclass(frozen=True)
class Attend(Component):
    h: Expr = sizes.h

    signature = "B T h d_k, B S h d_k -> B T h d_k"

    def forward(self, q, k):
        return steps(q=q)


def test_a_tensor_that_does_not_fit_is_refused_in_the_words_of_the_notation():
    with pytest.raises(ShapeError) as refusal:
        program_of(MiniGPT())
    assert str(refusal.value) == (
        "Linear takes [... d_in] with d_in = d_ff, but x is [B T d].\n"
        "    axis d_in:  expected d_ff,  got d\n"
        "  in FeedForward › down,  in MiniGPT › block"
    )


@dataclass(frozen=True)
class Crossed(Component):
    d: Expr = sizes.d

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=einsum("... i, i o -> ... o", x, param("W", V, self.d)))


class Ours(Crossed):
    __module__ = "symledger.components.maps.ours"


@dataclass(frozen=True)
class Around(Component):
    part: Component = Crossed()

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=self.part(x, name="part"))


@pytest.mark.parametrize(
    ("component", "where"),
    [
        (Crossed(), r"\n  in Crossed$"),
        (Around(), r"\n  in Crossed,  in Around › part$"),
        (Around(Ours()), r"\n  in Ours \(symledger/components/maps/ours\.py\),  in Around › part$"),
    ],
    ids=repr,
)
def test_what_a_verb_refuses_is_said_with_whose_it_is(component, where):
    with pytest.raises(ShapeError, match=where):
        program_of(component)


@pytest.mark.parametrize(
    ("component", "given", "message"),
    [
        (
            Linear(d, V),
            [data(B, T)],
            "Linear takes [... d_in] with d_in = d, but x is [B T].\n"
            "    axis d_in:  expected d,  got T",
        ),
        (
            Attend(),
            [data(B, T, h, d), data(B, S, h, V)],
            "Attend takes [B S h d_k] with d_k = d, but k is [B S h V].\n"
            "    axis d_k:  expected d,  got V",
        ),
        (
            Attend(Integer(8)),
            [data(B, T, h, d), data(B, S, h, d)],
            "Attend takes [B T h d_k] with h = 8, d_k = d, but q is [B T h d].\n"
            "    axis h:  expected 8,  got h",
        ),
        (
            Attend(),
            [data(B, h, d), data(B, S, h, d)],
            "Attend takes [B T h d_k], but q is [B h d].\n"
            "    axes:  expected 4,  got 3",
        ),
        (
            Linear(),
            [data()],
            "Linear takes [... d_in], but x is [].\n"
            "    axes:  expected at least 1,  got 0",
        ),
        (
            Pair(),
            [data(B, T, d), data(B, S, d)],
            "Pair takes [... d], but y is [B S d].\n"
            "    axes ...:  expected [B T],  got [B S]",
        ),
        (
            Attend(),
            [data(B, T, h, d)],
            'Attend takes "B T h d_k, B S h d_k -> B T h d_k" as q, k, but 1 arrived.',
        ),
        (
            Linear(),
            [data(B, d_in), data(B, d_in)],
            'Linear takes "... d_in -> ... d_out" as x, but 2 arrived.',
        ),
        (
            Linear(),
            [],
            'Linear takes "... d_in -> ... d_out" as x, but 0 arrived.',
        ),
    ],
)
def test_every_misuse_says_what_was_declared_what_arrived_and_where(component, given, message):
    with pytest.raises(ShapeError) as refusal:
        component.apply(*given)
    assert str(refusal.value) == message


@dataclass(frozen=True)
class Shrinks(Component):
    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=total(x))


@dataclass(frozen=True)
class ReturnsTensor(Component):
    signature = "... d -> ... d"

    def forward(self, x):
        return x


@dataclass(frozen=True)
class ReturnsOne(Component):
    signature = "... d -> ... d, ... d"

    def forward(self, x):
        return steps(y=x + x)


@dataclass(frozen=True)
class NoForward(Component):
    signature = "... d -> ... d"


@dataclass(frozen=True)
class Misspelt(Component):
    width: Expr = d
    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=x * self.widht)


@pytest.mark.parametrize(
    ("component", "error", "message"),
    [
        (Misspelt(), DefinitionError, "Misspelt has no widht. Its fields: width"),
        (Shrinks(), ShapeError, r"Shrinks returns \[\.\.\. d\], but the result is \[B T 1\]"),
        (ReturnsTensor(), DefinitionError, r"end it with `return steps\(name=value, …\)`"),
        (ReturnsOne(), DefinitionError, "but the number of its steps is 1"),
        (NoForward(), DefinitionError, "NoForward has no forward"),
    ],
)
def test_a_component_that_is_not_well_formed_is_refused(component, error, message):
    with pytest.raises(error, match=message):
        component.apply(data(B, T, d))


def test_two_results_are_taken_by_apply_and_not_by_a_call():
    both, first = Pair().apply(data(B, d))
    assert both is first
    with pytest.raises(DefinitionError, match=r"y, z = component\.apply"):
        Pair()(data(B, d))


def test_a_leading_ellipsis_stands_for_any_number_of_axes():
    assert Linear()(data(d_in)).shape == (d_out,)
    assert Linear()(data(B, T, S, d_in)).shape == (B, T, S, d_out)


def test_a_trace_is_on_inputs_of_the_declared_shapes():
    program = program_of(Linear(), name="affine")
    assert [x.shape for x in program.inputs] == [(B, T, d_in)]
    assert [y.shape for y in program.outputs] == [(B, T, d_out)]
    assert program.scope.name == "affine"
    assert list(program.scope.steps) == ["y"]


@dataclass(frozen=True)
class Look(Component):
    V: Expr = sizes.V

    signature = "B T in V, B P d -> B T"

    def forward(self, tokens, past=None):
        return steps(y=tokens if past is None else tokens * total(total(past, (1,)), (0, 2)))


def test_a_trace_takes_whole_numbers_optional_inputs_and_lengths_as_told():
    (tokens,) = program_of(Look(Integer(7))).inputs
    assert tokens.op == Input("tokens", below=Integer(7))
    assert tokens.storage == "index"
    (past,) = program_of(Attend(), {"q": "B T h d_k", "k": "B S h d_k"}, {"S": T}).inputs[1:]
    assert past.shape == (B, T, h, sizes.d_k)


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("Linear", "linear"),
        ("MiniGPT", "mini_gpt"),
        ("GPT2", "gpt2"),
        ("LMHead", "lm_head"),
        ("RMSNorm", "rms_norm"),
        ("ScaledDotProduct", "scaled_dot_product"),
    ],
)
def test_a_class_name_gives_the_owner_of_formulas(name, owner):
    assert snake(name) == owner


def test_names_and_steps_of_nested_uses_make_the_path():
    program = program_of(MiniGPT(forgetful=False))
    (call,) = program.calls
    body = call.op.body
    assert [body.path(w) for w in body.params] == [
        "block.up.W", "block.up.b", "block.down.W", "block.down.b",
    ]  # fmt: skip
    assert list(body.scope.steps) == ["u", "y"]


@dataclass(frozen=True)
class Forgetful(Component):
    """A component that makes a weight and forgets it."""

    signature = "B T d -> B T d"

    def forward(self, x):
        param("W", d, d)
        return steps(y=x + x)


def test_a_weight_that_nothing_uses_is_refused():
    with pytest.raises(DefinitionError, match=r"has a weight W \[d d\] that nothing uses"):
        program_of(Forgetful())


@dataclass(frozen=True)
class Identity(Component):
    """A component that gives back what entered."""

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=x)


def test_an_identity_is_a_component():
    program = program_of(Identity())
    assert program.outputs == program.inputs
