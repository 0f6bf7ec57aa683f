"""Programs: what stands in them, in which order, under which names; fused bodies in them."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from sympy import Expr

from symledger import sizes
from symledger.components.attention.flash import FlashAttention
from symledger.components.norms.norms import LayerNorm
from symledger.errors import ShapeError
from symledger.ir.building import leave_idle
from symledger.ir.ops import Input, Param
from symledger.ir.region import Values
from symledger.ir.tensor import Call, Tensor, is_leaf
from symledger.models.mini_gpt.model import MiniGPT
from symledger.notation.calling import program_of
from symledger.notation.component import Component, steps
from symledger.notation.verbs import apply, einsum, narrow, param, repeat
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params, trained_params
from symledger.readings.pullback import pullback
from symledger.sizes import B, L, T, V, d


@dataclass(frozen=True)
class Tied(Component):
    signature = "... d -> ... d"

    def forward(self, x):
        W = param("W", d, d)
        once = einsum("... i, i o -> ... o", x, W)
        return steps(once=once, twice=einsum("... i, i o -> ... o", apply("tanh", once), W))


@dataclass(frozen=True)
class Deep(Component):
    L: Expr = sizes.L

    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=repeat(Tied(), self.L, narrow(x, -1, 0, d), name="layer"))


def test_arguments_stand_before_what_is_made_of_them():
    for program in program_of(MiniGPT()).bodies:
        place = {t: i for i, t in enumerate(program.tensors)}
        assert all(place[arg] < place[t] for t in program.tensors for arg in t.args)


def test_a_weight_that_is_used_twice_is_one_weight():
    program = program_of(Tied())
    assert [program.path(w) for w in program.params] == ["W"]


def test_the_weights_of_a_repeated_body_are_the_body_s():
    program = program_of(Deep())
    assert program.params == ()
    (call,) = program.calls
    assert isinstance(call.op, Call)
    assert call.op.times == L
    assert [w.op for w in call.op.body.params] == [Param("W")]
    assert [body.scope.name for body in program.bodies] == ["deep", "layer"]


def test_the_paths_of_mini_gpt_are_those_of_its_components():
    program = program_of(MiniGPT(tied=False))
    body = program.bodies[1]
    assert [program.path(w) for w in program.params] == [
        "token_embedding.E", "final_norm.g", "head.W",
    ]  # fmt: skip
    assert [body.path(w) for w in body.params] == [
        "block.norm_1.g", "block.attention.Q.W", "block.attention.K.W", "block.attention.V.W",
        "block.attention.O.W", "block.norm_2.g", "block.feed_forward.1.W", "block.feed_forward.2.W",
    ]  # fmt: skip


def test_symbols_are_those_of_all_lengths_and_repetitions():
    names = {str(s) for s in program_of(MiniGPT()).symbols}
    assert names == {"B", "T", "V", "d", "h", "d_h", "d_ff", "L"}


def test_lengths_hold_every_quotient_that_must_be_whole():
    lengths = set(program_of(MiniGPT()).lengths)
    assert {V, L, sizes.d_h / 2} <= lengths


def test_bounds_say_that_a_context_must_lie_in_its_window():
    assert program_of(MiniGPT(positions="learned")).bounds[0] == (T, sizes.T_max)
    assert all(b == (sizes.d_h / 2, sizes.d_h) for b in program_of(MiniGPT()).bounds)


def test_the_backward_program_holds_no_tensor_of_the_forward_program():
    program = program_of(Tied())
    pull = pullback(program)
    assert not set(pull.tensors) & set(program.tensors)
    assert set(pull.gradients) == {t for t in program.tensors if is_leaf(t)}
    assert [seed.shape for seed in pull.seeds] == [program.outputs[0].shape]


def test_a_fused_body_names_what_its_stated_pull_back_may_mention():
    program = program_of(LayerNorm())
    (region,) = {t.region for t in program.tensors if t.region}
    assert list(region.named) == ["x", "g", "b", "mu", "r", "y"]


def test_a_step_that_only_the_stated_pull_back_uses_belongs_to_the_program():
    program = program_of(FlashAttention())
    assert program.scope.steps["lse"] in program.tensors


def test_a_name_that_a_stated_pull_back_does_not_know_is_refused_with_those_it_knows():
    with pytest.raises(AttributeError, match="may mention b, x; not y"):
        _ = Values({"x": 1, "b": 2}).y


@dataclass(frozen=True)
class Undone(Component):
    signature = "... d -> ... d"

    def forward(self, x):
        return steps(y=apply("tanh", x))

    def pullback(self, at: Values, dy) -> Mapping:
        return {"x": at.nothing * dy}


def test_a_stated_pull_back_is_run_only_when_it_is_asked_for():
    program = program_of(Undone())
    assert len(program.outputs) == 1
    with pytest.raises(AttributeError, match="not nothing"):
        pullback(program)


@dataclass(frozen=True)
class Widen(Component):
    signature = "B T d -> B T V"

    def forward(self, x):
        return steps(y=einsum("... i, i o -> ... o", x, param("W", d, V)))


@dataclass(frozen=True)
class Split(Component):
    signature = "B T d -> B T d, B T d"

    def forward(self, x):
        return steps(y=x + x, z=x)


@pytest.mark.parametrize(
    ("body", "gives"), [(Widen(), r"\[B T V\]"), (Split(), r"\[B T d\], \[B T d\]")]
)
def test_a_repetition_must_give_back_what_it_carries(body, gives):
    message = rf"cannot be repeated: it carries \[B T d\] but gives {gives}"
    with pytest.raises(ShapeError, match=message):
        repeat(body, L, Tensor(Input("x"), (), (B, T, d)), name="body")


@dataclass(frozen=True)
class Uneven(Component):
    average: bool

    signature = "B T d -> B T d"

    def forward(self, x):
        return steps(y=repeat(Tied(), L / 2, x, name="body", shared=True, average=self.average))


@pytest.mark.parametrize("average", [False, True])
def test_an_average_number_of_repetitions_need_not_be_whole(average):
    program = program_of(Uneven(average))
    assert (L / 2 in program.averages, (1, L / 2) in program.bounds) == (average, average)
    assert L / 2 in program.lengths


@dataclass(frozen=True)
class Spare(Component):
    signature = "B T d -> B T d"

    def forward(self, x):
        leave_idle(param("b_idle", d))
        leave_idle(einsum("... i, i o -> ... o", x, param("W_idle", d, V)))
        return steps(y=einsum("... i, i o -> ... o", x, param("W", d, d)))


def test_what_is_idle_is_held_and_computed_and_has_no_gradient():
    program = program_of(Spare())
    back = pullback(program)
    assert params(program).total == d**2 + d * V + d
    assert trained_params(program).total == d**2
    assert contraction_flops(program).total == 2 * B * T * d**2 + 2 * B * T * d * V
    assert contraction_flops(back).total == 4 * B * T * d**2
    assert {program.path(w) for w in program.params if w in program.unused} == {"b_idle", "W_idle"}
    assert {t.op.name for t in back.gradients} == {"x", "W"}


def test_a_repeated_body_keeps_what_is_idle_in_it():
    @dataclass(frozen=True)
    class Layers(Component):
        signature = "B T d -> B T d"

        def forward(self, x):
            return steps(y=repeat(Spare(), L, x, name="layer"))

    program = program_of(Layers())
    assert params(program).total.expand() == (L * (d**2 + d * V + d)).expand()
    assert program.idle == ()
