"""Mamba, and Falcon-Mamba, which normalizes what its scan is told."""

from __future__ import annotations

from dataclasses import replace

from symledger.arguments.specs import Free, Only, Settings, size
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.config_keys.state_space_keys import LENGTH, TENSORS, USES, inner, looking_back, maps


def widths(values: Values) -> Settings:
    """The channels of a mixer, and the rank of its step sizes, which is d/16 unless it is said."""
    d, rank = size("hidden_size", values["hidden_size"]), values["time_step_rank"]
    rank = -(-d // 16) if rank == "auto" else size("time_step_rank", rank)
    named = "intermediate_size" in values
    d_i = size("intermediate_size", values["intermediate_size"]) if named else inner(values)
    return {"d_i": str(d_i), "d_r": str(rank)}


MAMBA = Family(
    "mamba",
    {"MambaForCausalLM": Built("mamba", {"head": "lm"}),
     "MambaModel": Built("mamba", {"head": "bare"})},
    {
        **USES,
        "time_step_rank": Ruled(),
        "intermediate_size": Ruled(),
        "time_step_init_scheme": Only(("random", "constant")),
        "use_mambapy": Free((bool,)),
        "use_associative_scan": Free((bool,)),
    },
    (Rule(("hidden_size", "expand", "time_step_rank"), widths), Rule((), looking_back)),
    {**TENSORS, **maps("in_proj", "out_proj", "x_proj", "dt_proj")},
    LENGTH,
)  # fmt: skip
"""``use_mambapy`` trains by a parallel scan, where that package is there: what is multiplied is
the same, states by reading vectors; counted is the scan token after token."""
FALCON_MAMBA = replace(
    MAMBA,
    model_type="falcon_mamba",
    builds={"FalconMambaForCausalLM": Built("mamba", {"head": "lm", "normed": "true"}),
            "FalconMambaModel": Built("mamba", {"head": "bare", "normed": "true"})},
    uses={**MAMBA.uses, "use_falcon_mambapy": Free((bool,))},
)  # fmt: skip
