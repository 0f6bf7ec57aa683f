"""Rules that people quote: their exact difference from what is derived, worked out by hand."""

from fractions import Fraction

import pytest

from symledger import algebra, derive
from symledger.accounts.rules_of_thumb import CROSSOVERS, PARAMETERS, RULES
from symledger.sizes import ALPHABET

BY_NAME = {rule.name: rule for rule in RULES}


def judged(name, target, settings=None):
    return BY_NAME[name].of(derive(target, settings or {}, dtype="bf16"))


@pytest.mark.parametrize(
    ("rule", "difference"),
    [
        # a GPT-2 block has 12d² + 13d; tables of V and T_max rows; the last norm 2d
        ("N ≈ 12Ld²", "-13Ld - T_max·d - Vd - 2d"),
        # products of pairs forgotten; six for biases, norms and positions, which multiply nothing
        ("C ≈ 6ND", "-12BLT²d + 78BLTd + 6BT·T_max·d + 12BTd"),
        ("2N for each decoded token", "-4BLTd + 26BLd + 2B·T_max·d + 4Bd"),
        ("6N + 12LhQT for each token", "78BLTd + 6BT·T_max·d + 12BTd"),
    ],
)
def test_what_a_rule_leaves_out_of_gpt2(rule, difference):
    assert algebra.text(judged(rule, "gpt2").difference) == difference


def test_the_rule_of_the_cache_is_exact_in_two_bytes():
    for target in ("gpt2", "llama-3-8b"):
        found = judged("2 · 2 · L · h_kv · d_h bytes for each position", target)
        assert not found.difference
        assert found.error == 0
        assert found.breaks is None


def test_the_parameters_of_a_rule_are_no_symbol_of_the_alphabet():
    assert PARAMETERS not in ALPHABET


def test_a_rule_breaks_where_its_error_is_a_tenth():
    found = judged("C ≈ 6ND", "gpt2")
    at = found.breaks
    assert 799 < at < 800
    below, above = (
        abs(judged("C ≈ 6ND", "gpt2", {"T": n}).error) for n in (int(at), int(at) + 1)
    )
    assert below < Fraction(1, 10) < above


def test_attention_is_as_dear_as_the_feed_forward_network_at_two_widths():
    """By hand: 8Td² + 4T²d = 16Td² at T = 2d."""
    assert algebra.text(CROSSOVERS[0].at) == "2d"


def test_a_rule_counts_the_experts_that_a_token_uses():
    """By hand: 2N forgets 4BT²LF of pairs, F = h·d_h = 4096, at T = 32,768; and counts too much
    the table, which multiplies nothing, and the norms."""
    found = judged("2N for each decoded token", "mixtral-8x7b")
    pairs = 4 * 32768 * 32 * 4096
    beside = 2 * (32000 * 4096 + (2 * 32 + 1) * 4096)
    assert algebra.value(found.difference, found.account.assumed.bindings) == beside - pairs


def test_a_latent_cache_is_that_of_two_and_a_quarter_heads():
    """DeepSeek-V3 keeps 512 + 64 values of a token, and 2 · 128 for each head that were kept."""
    at = derive("deepseek-v3").assumed.bindings
    assert algebra.value(CROSSOVERS[1].at, at) == Fraction(512 + 64, 2 * 128)
