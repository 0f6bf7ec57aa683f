"""An account: quantities when asked for, settings, identities, corollaries, the promised JSON."""

import json

import pytest

from symledger import algebra, derive
from symledger.algebra.parsing import parse_equation
from symledger.catalogue.identities import IDENTITIES
from symledger.errors import BadInput, Contradiction, UnknownTarget
from symledger.ledger.quantities import QUANTITIES
from symledger.sizes import BY_NAME, d_ff


def test_quantities_are_items_and_attributes_and_are_made_once():
    account = derive("mini_gpt")
    for name in QUANTITIES:
        assert account[name] is getattr(account, name.replace(".", "_"))


def test_what_is_no_quantity_is_refused():
    account = derive("linear")
    with pytest.raises(UnknownTarget, match=r"Did you mean flops\.forward"):
        _ = account["flop.forward"]
    with pytest.raises(AttributeError, match="an account has no flops; its quantities are params"):
        _ = account.flops
    assert not hasattr(account, "__length_hint__")


@pytest.mark.parametrize(
    ("target", "lacks"),
    [
        ("linear", {"params.active", "memory.kv_cache", "flops.decode"}),
        ("layer_norm", {"params.active", "memory.kv_cache", "flops.decode",
                        "intensity.forward", "flops.forward",
                        "flops.backward", "flops.training", "macs.forward", "macs.backward",
                        "macs.training"}),
        ("mini_gpt", {"params.active"}),
        ("attention", {"params.active", "flops.decode"}),
        ("mixtral", set()),
    ],
)  # fmt: skip
def test_a_target_lacks_what_is_identically_nothing_or_said_already(target, lacks):
    account = derive(target)
    assert set(QUANTITIES) - set(account.quantities) == lacks
    assert all(not account[name].general for name in lacks - {"params.active", "flops.decode"})
    all_active = account["params.active"].general == account.params.general
    assert all_active == ("params.active" in lacks)


@pytest.mark.parametrize(
    ("settings", "assume", "value"),
    [
        ({}, [], 131_392),
        ({"d": 32}, [], 41_120),
        ({"d": "32", "d_ff": "128"}, [], 41_120),
        ({"d": 32}, ["d_ff = 4*d"], 41_120),
        ({"tied": False}, [], 164_160),
        ({"tied": "false"}, [], 164_160),
        ({"positions": "learned"}, [], 133_440),
        ({"positions": "learned", "T_max": 64}, [], 135_488),
        ({"bias": True}, [], 131_392 + 2 * (256 + 320)),
        ({"d_ff": 100}, [], 131_392 - 2 * 2 * 64 * 156),
        ({}, ["d_ff = 8*h"], 131_392 - 2 * 2 * 64 * (256 - 32)),
        ({}, "d_ff = 4*d", 131_392),
    ],
)
def test_parameters_under_settings(settings, assume, value):
    assert derive("mini_gpt", settings, assume).params.value == value


@pytest.mark.parametrize(
    ("target", "settings", "assume", "error", "said"),
    [
        ("mini_gpt", {"D": 3}, [], BadInput, "D is neither a symbol nor an option of mini_gpt"),
        ("mini_gpt", {"d_hh": 3}, [], BadInput, "Did you mean d_h"),
        ("mini_gpt", {"tid": "no"}, [], BadInput, "Did you mean tied"),
        ("mini_gpt", {"d": 64.0}, [], BadInput, "d = 64.0 is not a size"),
        ("mini_gpt", {"d": True}, [], BadInput, "d = true is not a size"),
        ("mini_gpt", {"d": None}, [], BadInput, "d = None is not a size"),
        ("mini_gpt", {"d": 65}, [], BadInput, "Choose d divisible by h = 4: 64 or 68"),
        ("mini_gpt", {"d": 60}, [], BadInput, "d_h/2 = 15/2 .* d_h divisible by 2: 14 or 16"),
        ("mini_gpt", {"T_max": 3}, [], BadInput, "T_max is neither a symbol nor an option"),
        ("mini_gpt", {"positions": "learned", "T": 64}, [], BadInput, "T = 64.*T_max = 32"),
        ("self_attention", {"S": 3}, [], BadInput, "S is neither a symbol nor an option"),
        ("attention", {"h": 6, "h_kv": 4, "d": 24}, [], BadInput, "h/h_kv = 3/2"),
        ("cached_attention", {"T": 4, "S": 4}, [], BadInput, "S - T = 0 is not a positive"),
        ("mini_gpt", {"d_ff": 100}, ["d_ff = 4*d"], Contradiction, "cannot both hold"),
        ("mini_gpt", {}, ["d_ff = 4*x"], BadInput, "names x, which is not a symbol here"),
        ("mini_gpt", {}, ["tied = 1"], BadInput, "names tied, which is not a symbol here"),
        ("gpt2", {"T": 2048}, [], BadInput, "T = 2048.*T_max = 1024"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_exactly_is_refused(target, settings, assume, error, said):
    with pytest.raises(error, match=said):
        derive(target, settings, assume)


def test_a_weight_is_frozen_by_name():
    free, frozen = derive("linear"), derive("linear", frozen="W")
    assert frozen["memory.gradients"].text == "4d_out"
    assert free["memory.gradients"].text == "4d_in·d_out + 4d_out"
    assert algebra.combine([(2, frozen.flops_backward.general)]) == free.flops_backward.general
    assert frozen.params.general == free.params.general
    # nothing that is trained needs the input then
    assert frozen["memory.saved"].general == {}


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("token_embedding.E", 98_624), ("block.*", 32_832), ("*", 0), ("*.g", 131_072)],
)
def test_a_pattern_freezes_all_that_it_matches(pattern, count):
    account = derive("mini_gpt", frozen=[pattern])
    assert account["memory.gradients"].value == 4 * count
    assert account["memory.optimizer"].value == 8 * count
    assert account["memory.parameters"].value == 4 * 131_392


def test_a_pattern_that_matches_nothing_is_refused():
    with pytest.raises(BadInput, match=r"no weight is named Q\. Known: block\.attention\.K\.W"):
        derive("mini_gpt", frozen=["Q"])


def test_subs_asks_again_with_other_sizes():
    account = derive("mini_gpt", {"tied": False}, dtype="bf16")
    wider = account.subs(d=128)
    assert wider.target.options["tied"] is False
    assert wider.conventions.dtype == "bf16"
    assert wider.assumed.bindings[d_ff] == 512
    assert account.subs({d_ff: 100}).assumed.dropped == ["d_ff = 4*d gave way to d_ff = 100"]
    assert account.params.value == 164_160


def test_an_account_shows_itself():
    account = derive("mini_gpt")
    assert repr(account).startswith("<account of mini_gpt: <mini_gpt.params: 12Ld²")
    assert account._repr_latex_() == account.params._repr_latex_()


@pytest.mark.parametrize(
    ("target", "case", "params"),
    [
        ("attention", "multi-head", "4d²"),
        ("attention", "grouped", "2d² + 2d²·h_kv/h"),
        ("attention", "multi-query", "2d² + 2d²/h"),
        ("self_attention", "multi-query", "2d² + 2d²/h"),
        ("gated_feed_forward", "as many weights as a plain network of width 4d", "8d²"),
    ],
)
def test_named_cases(target, case, params):
    assert algebra.text(derive(target).corollaries[case].forms["params"]) == params


def test_decoding_one_token_is_a_case():
    cases = derive("dot_product_attention").corollaries
    decoding = cases["decoding one token"]
    assert "T = 1" in decoding.equations
    assert algebra.text(decoding.forms["flops.forward"]) == "4BS·d_k·h"


@pytest.mark.parametrize("identity", IDENTITIES, ids=lambda i: f"{i.left} | {i.right}")
def test_identities_hold_as_polynomials_and_are_shown_on_both_sides(identity):
    sides = []
    for side in (identity.left, identity.right):
        account = derive(side.name, side.options)
        assert identity in [found for found, _, _ in account.identities]
        equations = dict(parse_equation(e, BY_NAME) for e in side.equations)
        given = {symbol: algebra.terms(e) for symbol, e in equations.items()}
        sides.append(algebra.substitute(account[identity.quantity].general, given))
    assert sides[0] == sides[1]


def test_a_target_with_other_options_is_no_side_of_an_identity():
    assert derive("attention", {"bias": True}).identities
    assert all(
        here.options == {"bias": True}
        for _, here, _ in derive("attention", {"bias": True}).identities
    )


def test_an_account_in_json_names_what_gave_way():
    shown = derive("mini_gpt", {"d_ff": 100}).to_dict()
    assert shown["dropped"] == ["d_ff = 4*d gave way to d_ff = 100"]
    assert shown["assumptions"] == ["d_h = d/h"]
    assert shown["bindings"]["d_ff"] == "100"
    assert json.loads(json.dumps(shown)) == shown


def test_only_what_is_asked_for_is_in_the_json():
    shown = derive("mini_gpt").to_dict(["flops.forward", "params"])
    assert list(shown["formulas"]) == ["flops.forward", "params"]
    assert shown["tree"]["value"] == "71303168"
    assert set(shown["formulas"]["flops.forward"]["causal"]) == {"full", "half", "exact"}


def test_other_ways_of_counting_share_the_program_and_give_what_a_new_account_gives():
    account = derive("mini_gpt")
    account.corollaries, account.evidence  # noqa: B018  # made before, and not to be taken over
    for changed in ({"dtype": "bf16"}, {"optimizer": "sgd"}, {"causal": "exact"}):
        other, anew = account.under(**changed), derive("mini_gpt", **changed)
        assert other.program is account.program
        assert other.to_dict() == anew.to_dict()
    assert account.to_dict() == derive("mini_gpt").to_dict()


def test_what_is_frozen_is_another_program():
    other = derive("linear").under(frozen=("W",))
    assert other.to_dict() == derive("linear", frozen="W").to_dict()
