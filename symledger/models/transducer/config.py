"""Parakeet's transducers: its encoder, and keys of a recurrent network."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.encoder_keys import Tensors, maps, under
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.image_keys import UNTIED
from symledger.errors import BadInput
from symledger.models.conformer.config import PARAKEET_ENCODER, SHORTENED

FREED = ("max_symbols_per_step", "blank_token_id", "initializer_range")
DEEPEST = 2
"""Layers of the recurrent network whose tensors are known by name: none was published with more."""
LENGTHS = {"T_f": "1000", "T_u": "50"}
"""No key says how long a spectrum is, or what is written: a thousand frames, and fifty words."""


def _layer(i: int) -> Tensors:
    """Return whose weights those of a layer are: the first, or one of the others."""
    ours = "lstm.layer" if i else "lstm.first_layer"
    return {
        f"decoder.lstm.{said}_{way}_l{i}": (f"{ours}.{part}.{x}",)
        for said, x in (("weight", "W"), ("bias", "b"))
        for way, part in (("ih", "ih"), ("hh", "cell.hh"))
    }


def _deep(values: Values) -> Settings:
    """Return how deep the recurrent network is.

    Raises:
        BadInput: it is deeper than those whose tensors are known.
    """
    L = size("num_decoder_layers", values["num_decoder_layers"])
    if L > DEEPEST:
        raise BadInput(f"num_decoder_layers = {L} is not supported: 1 and {DEEPEST} are.")
    return {"L_dec": str(L)}


PARAKEET_RNNT = Family(
    "parakeet_rnnt",
    {"ParakeetForRNNT": Built("transducer", {"timed": "false"})},
    {
        "vocab_size": SizeOf("V"),
        "decoder_hidden_size": SizeOf("d_dec"),
        "num_decoder_layers": Ruled(),
        "hidden_act": Acting("joined_by", learned=False),
        **dict.fromkeys(FREED, FREE),
        **UNTIED,
    },
    (Rule((), _deep),),
    {
        **under("encoder.", "", SHORTENED),
        **maps(encoder_projector="frames", decoder__decoder_projector="said", joint__head="head"),
        "decoder.embedding.weight": ("token_embedding.E",),
        **{name: ours for i in range(DEEPEST) for name, ours in _layer(i).items()},
    },
    LENGTHS,
    parts={"encoder_config": replace(PARAKEET_ENCODER, implied={})},
)  # fmt: skip


def _durations(values: Values) -> Settings:
    """Return how many durations are scored.

    Raises:
        BadInput: there is no list of them.
    """
    found = values["durations"]
    if not isinstance(found, list | tuple) or not found:
        raise BadInput(f"durations = {written(found)} does not fit: a list of numbers is meant.")
    return {"n_dur": str(len(found))}


PARAKEET_TDT = replace(
    PARAKEET_RNNT,
    model_type="parakeet_tdt",
    builds={"ParakeetForTDT": Built("transducer", {"timed": "true"})},
    uses={**PARAKEET_RNNT.uses, "durations": Ruled()},
    rules=(*PARAKEET_RNNT.rules, Rule((), _durations)),
)
