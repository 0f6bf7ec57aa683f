"""Every key of every type, as no file should have it: read, or refused in a few words."""

from math import inf
from random import Random

import pytest

from symledger.configs.families import every_family
from symledger.configs.read import read
from symledger.errors import SymledgerError
from tests.every import share

ODD = (
    0.5, -1, 0, 10**18, 10**19, 10**400, 1e308, inf, True, None, "", "7", "\ud800", "a" * 5000, [],
    [None], [0.5], [[1]], ["x"], [10**400], [{}], ["sliding_attention", "x"], {}, {"": None},
    {"full_attention": 1}, {"rope_type": 3}, {"type": []},
)  # fmt: skip
EVERY = sorted(
    {f.model_type: f for f in every_family() if f.library == "transformers" and not f.like}.items()
)
RATIO = {"pixel_shuffle_ratio": [0], "vision_output_dim": 4096}
TURNED = {"layer_types": 0.5, "rope_parameters": {"full_attention": {"rope_theta": 1e4}}}
COMPASS = {"model_type": "cohere_compass", "text_config": TURNED,
           "vision_config": {"out_hidden_size": 8192}}  # fmt: skip
LONGEST = 1500
"""Letters of a refusal: what was given is not echoed at length."""


@pytest.mark.parametrize("first", range(8))
def test_odd_values_are_read_or_refused(first):
    for name, family in share(EVERY[first::8], 4):
        random = Random(name)  # noqa: S311  # nothing secret is drawn
        plain = {family.key: name, "architectures": [next(iter(family.builds))]}
        for into, part in ((None, family), *family.parts.items()):
            for key in sorted({*part.facts["keys"], *part.uses} - {part.key}):
                odd = {key: random.choice(ODD)}
                inside = {into: {"model_type": part.model_type, **odd}} if into else odd
                assert len(refusal({**plain, **inside})) < LONGEST, (name, into, key)


def refusal(document):
    """Return why a configuration is not read; nothing if it is."""
    try:
        read(document)
    except SymledgerError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (COMPASS, "layer_types = 0.5 does not name the kinds of 40 layers"),
        ({"model_type": "laguna", "num_attention_heads": [[1]]}, "num_attention_heads"),
        ({"model_type": "laguna", "layer_types": 1e308}, "layer_types"),
        ({"model_type": "mimo_v2_flash", "rope_parameters": {"full_attention": 1}}, "an object"),
        ({"model_type": "gpt_neox_japanese", "intermediate_multiple_size": 1e308}, "does not fit"),
        ({"model_type": "xlstm", "ffn_proj_factor": inf}, "does not fit"),
        ({"model_type": "swin", "mlp_ratio": inf}, "whole numbers are"),
        ({"model_type": "llama4", "vision_config": RATIO}, "one divided by"),
        ({"model_type": "ibert", "hidden_act": "relu"}, "its class has no other"),
    ],
)
def test_what_stopped_reading_is_refused_by_name(document, said):
    with pytest.raises(SymledgerError, match=said):
        read(document)
