"""The verbs of definitions: the shape each gives, the rule each keeps, how each refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer

from symledger.errors import PatternError, ShapeError
from symledger.ir.ops import Contract, Rearrange
from symledger.ir.shapes import show
from symledger.ir.tensor import Tensor
from symledger.notation.verbs import (
    argmax,
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
    scatter,
    state,
    statistic,
    table,
    total,
    view,
)
from symledger.sizes import B, S, T, V, d, d_k, d_v, h


def tensor(*shape):
    return param("x", *shape)


@pytest.mark.parametrize(
    ("pattern", "left", "right", "shape"),
    [
        ("i j, j k -> i k", (B, d), (d, V), "[B V]"),
        ("... i, i o -> ... o", (B, T, d), (d, V), "[B T V]"),
        ("... i, i o -> ... o", (d,), (d, V), "[V]"),
        ("... i, v i -> ... v", (B, T, d), (V, d), "[B T V]"),
        ("b t h k, b s h k -> b h t s", (B, T, h, d), (B, S, h, d), "[B h T S]"),
        ("i, i ->", (d,), (d,), "[]"),
        ("i j, i j -> j", (B, d), (B, d), "[d]"),
    ],
)
def test_einsum_keeps_the_indices_of_its_result(pattern, left, right, shape):
    assert show(einsum(pattern, tensor(*left), tensor(*right)).shape) == shape


@pytest.mark.parametrize(
    ("pattern", "left", "right", "why"),
    [
        ("i j -> i", (B, d), (d, V), "must contract two tensors into one"),
        ("i j, j k, k -> i", (B, d), (d, V), "must contract two tensors into one"),
        ("i j, j k -> i, k", (B, d), (d, V), "must contract two tensors into one"),
        ("i j, j k -> i", (B, d), (d, V), "index k stands in only one tensor"),
        ("i j, j k -> i k o", (B, d), (d, V), "index o stands in only one tensor"),
        ("i i, i j -> j", (B, B), (B, V), "repeats an index"),
        ("i j, j k -> i i", (B, d), (d, V), "repeats an index"),
        ("i j, i j -> i j", (B, d), (B, d), "sums nothing"),
        ("i, j -> i j", (B,), (d,), "sums nothing"),
    ],
)
def test_einsum_refuses_what_is_no_contraction(pattern, left, right, why):
    with pytest.raises(PatternError, match=why) as refusal:
        einsum(pattern, tensor(*left), tensor(*right))
    assert f'"{pattern}"' in str(refusal.value)


@pytest.mark.parametrize(
    ("pattern", "left", "right", "why"),
    [
        ("i j, j k -> i k", (B, d), (T, V), "index j is d in one and T in the other"),
        ("... i, i o -> ... o", (B, T, d), (h, V), "index i is d in one and h in the other"),
        ("i j, j k -> i k", (B, T, d), (d, V), r"names 2 axes, but \[B T d\] arrived"),
        ("... i, i o -> ... o", (), (d, V), r"names 1 axes, but \[\] arrived"),
    ],
)
def test_einsum_refuses_lengths_that_do_not_meet(pattern, left, right, why):
    with pytest.raises(ShapeError, match=why):
        einsum(pattern, tensor(*left), tensor(*right))


@given(st.permutations(["b", "t", "i", "o"]))
def test_the_result_of_einsum_is_ordered_as_its_pattern_says(order):
    lengths = {"b": B, "t": T, "i": d, "o": V}
    result = einsum(f"b t i, i o -> {' '.join(n for n in order if n != 'i')}",
                    tensor(B, T, d), tensor(d, V))  # fmt: skip
    assert result.shape == tuple(lengths[n] for n in order if n != "i")
    assert isinstance(result.op, Contract)


@pytest.mark.parametrize(
    ("pattern", "shape", "known", "expected"),
    [
        ("B T (h k) -> B h T k", (B, T, h * d_k), {"h": h}, (B, h, T, d_k)),
        ("B T (h k) -> B T h k", (B, T, d), {"h": h}, (B, T, h, d / h)),
        ("B T h k -> B T (h k)", (B, T, h, d_k), {}, (B, T, h * d_k)),
        ("... (a b) -> ... b a", (B, T, 6 * d), {"a": 6}, (B, T, d, Integer(6))),
        ("a b -> b a", (B, T), {}, (T, B)),
        ("B T -> (B T) ()", (B, T), {}, (B * T, Integer(1))),
        ("a one -> one a", (B, 1), {}, (Integer(1), B)),
    ],
)
def test_view_solves_the_lengths_that_are_not_given(pattern, shape, known, expected):
    assert view(pattern, tensor(*shape), **known).shape == expected


@pytest.mark.parametrize(
    ("pattern", "shape", "known", "error", "why"),
    [
        ("B (a b) -> B a b", (B, T), {}, ShapeError, "length T into a × b: say how long b is"),
        ("B (a b) -> B a b", (B, T), {"a": d, "b": h}, ShapeError, "it does not fit"),
        ("B T -> T B", (B, T), {"T": 3}, ShapeError, "it does not fit"),
        ("B T -> B", (B, T), {}, ShapeError, "drops an axis"),
        ("B T -> B T K", (B, T), {}, ShapeError, "drops an axis"),
        ("B T K -> K B T", (B, T), {}, ShapeError, r"does not fit \[B T\]"),
        ("B T", (B, T), {}, PatternError, 'exactly one "->"'),
        ("B T, B -> T B", (B, T), {}, PatternError, "one tensor into one"),
        ("B T -> T, B", (B, T), {}, PatternError, "one tensor into one"),
    ],
)
def test_view_refuses_what_does_not_fit(pattern, shape, known, error, why):
    with pytest.raises(error, match=why) as refusal:
        view(pattern, tensor(*shape), **known)
    assert f'"{pattern}"' in str(refusal.value)


@given(st.permutations(["a", "b", "k", "t"]))
def test_a_view_and_the_view_back_give_the_shape_again(order):
    x = tensor(B, T, h, d)
    there = view(f"a b k t -> {' '.join(order)}", x)
    assert view(f"{' '.join(order)} -> a b k t", there).shape == x.shape


X = tensor(B, T, d)


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        (total(X), (B, T, 1)),
        (total(X, (0, 1)), (1, 1, d)),
        (reduce(X, (0,)), (T, d)),
        (reduce(X, (0, 1, 2)), ()),
        (over_rows(X), (d,)),
        (mean(X), (B, T, 1)),
        (maximum(X), (B, T, 1)),
        (argmax(X), (B, T, 1)),
        (expand(tensor(d), (B, T, d)), (B, T, d)),
        (narrow(X, 1, 0, S), (B, S, d)),
        (narrow(X, -1, 2, 3), (B, T, 3)),
        (pad(X, 1, 0, S), (B, S, d)),
        (join([X, tensor(B, S, d)], axis=1), (B, T + S, d)),
        (join([X, X]), (B, T, 2 * d)),
        (gather(tensor(V, d), tensor(B, T)), (B, T, d)),
        (gather(tensor(B, T, V), tensor(B, T), batch=2), (B, T)),
        (gather(tensor(B, S, d), tensor(B, T), batch=1), (B, T, d)),
        (scatter(tensor(B, T, d), tensor(B, T), (V, d)), (V, d)),
        (table("t", lambda i, j: i + j, B, T), (B, T)),
        (X + tensor(d), (B, T, d)),
        (tensor(T, 1) * X, (B, T, d)),
        (tensor(B, 1, d) - tensor(T, 1), (B, T, d)),
        (2 * X / 3 + 1, (B, T, d)),
        (-X, (B, T, d)),
    ],
)
def test_every_verb_gives_the_shape_that_it_names(made, shape):
    assert made.shape == tuple(Integer(n) if isinstance(n, int) else n for n in shape)


@pytest.mark.parametrize("other", [(B, T, h), (T, B, d), (S, d)])
def test_axes_that_stand_above_each_other_must_be_equal_or_1(other):
    with pytest.raises(ShapeError) as refusal:
        _ = X + tensor(*other)
    assert f"[B T d] and {show(other)} do not fit together" in str(refusal.value)


@pytest.mark.parametrize(
    ("made", "storage"),
    [
        (X + X, "value"),
        (argmax(X), "index"),
        (statistic(mean(X)), "statistic"),
        (narrow(statistic(X), 0, 0, 1), "statistic"),
        (view("B T k -> (B T) k", argmax(X)), "index"),
    ],
)
def test_what_a_tensor_holds_is_kept_by_views(made, storage):
    assert made.storage == storage


def test_state_marks_the_same_elements_as_kept_between_decoding_steps():
    k = state(tensor(B, S, h, d_v))
    assert k.state
    assert isinstance(k.op, Rearrange)
    assert k.shape == (B, S, h, d_v)


def test_the_size_of_a_tensor_is_the_product_of_its_axes():
    assert tensor(B, T, d).size == B * T * d
    assert tensor().size == 1


def test_every_use_of_a_name_makes_a_weight_of_its_own():
    assert isinstance(X, Tensor)
    assert tensor(d) is not tensor(d)
    assert tensor(d) != tensor(d)
