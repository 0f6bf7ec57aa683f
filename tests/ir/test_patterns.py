"""The notation of shapes: what is read, what is refused, and how the refusal speaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symledger.errors import PatternError
from symledger.ir.patterns import Operand, parse

NAMES = st.sampled_from(["a", "b", "T", "d_ff", "h_kv", "x1"])


@pytest.mark.parametrize(
    ("text", "inputs", "outputs"),
    [
        ("... i, i o -> ... o", ["[... i]", "[i o]"], ["[... o]"]),
        ("B T (h k) -> B h T k", ["[B T (h k)]"], ["[B h T k]"]),
        ("B T in V -> B T V", ["[B T] in V"], ["[B T V]"]),
        ("B T V, B T in V ->", ["[B T V]", "[B T] in V"], ["[]"]),
        ("d_ff->d_in,d_out", ["[d_ff]"], ["[d_in]", "[d_out]"]),
        ("a () -> a", ["[a ()]"], ["[a]"]),
    ],
)
def test_a_pattern_is_read_into_its_operands(text, inputs, outputs):
    pattern = parse(text)
    assert [str(operand) for operand in pattern.inputs] == inputs
    assert [str(operand) for operand in pattern.outputs] == outputs


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("B T", 'exactly one "->"'),
        ("a -> b -> c", 'exactly one "->"'),
        ("a + b -> a", '"+ b"'),
        ("1 a -> a", '"1 a"'),
        ("a-b -> a", '"-b"'),
        ("a) -> a", '")"'),
        ("((a)) -> a", '"(a))"'),
        ("(... a) -> a", '"... a)"'),
        ("a (b -> a", 'every "(" needs its ")"'),
        ("a ... -> a", '"..." may only lead'),
        ("... ... -> a", '"..." may only lead'),
        ("a b) -> a", '")"'),
        ("a in -> a", '"in "'),
        ("a in 3 -> a", '"in 3"'),
        ("a in V w -> a", '"in V w"'),
    ],
)
def test_bad_text_is_refused_by_a_message_that_quotes_it(text, named):
    with pytest.raises(PatternError) as refusal:
        parse(text)
    assert text in str(refusal.value)
    assert named in str(refusal.value)


@given(st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=4), st.booleans())
def test_an_operand_reads_back_as_it_is_written(groups, leads):
    axes = (("...",),) * leads + tuple(tuple(group) for group in groups)
    operand = Operand(axes)
    written = str(operand).removeprefix("[").removesuffix("]")
    assert parse(f"{written} ->").inputs == (operand,)


@given(st.lists(NAMES, max_size=4), st.integers(0, 3))
def test_spaces_around_axes_mean_nothing(names, spaces):
    gap = " " * spaces
    assert parse(f"{gap}{' '.join(names)}{gap}->{gap}") == parse(f"{' '.join(names)}->")


def test_the_names_of_an_operand_open_its_groups():
    operand = parse("... T (h k) ->").inputs[0]
    assert operand.names == ("...", "T", "h", "k")
    assert operand.has_ellipsis
