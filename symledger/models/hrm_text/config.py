"""HRM-Text: LLaMA's keys, how often stacks are run, and where gradients go back."""

from __future__ import annotations

from symledger.arguments.specs import Remark, Settings, SizeOf, size, written
from symledger.config_keys.activations import Acting
from symledger.config_keys.common import FREE
from symledger.config_keys.decoder_keys import BIASES, DIVIDED, HEADS, LLAMA_KEYS
from symledger.config_keys.family import Built, Family, Rule, Ruled, Values
from symledger.errors import BadInput, shown

BACK, HIGH, LOW = "L_bp_cycles", "H_cycles", "L_cycles"
ATTENTION, NETWORK = ("Q", "K", "V", "gate", "O"), ("gate", "up", "down")


def _cycles(values: Values) -> Settings:
    """Return how often the stacks are run, and through how many runs gradients go back.

    Of each high cycle a list says through how many of its last low cycles; before a shorter list
    stand ones. Nothing was computed before the first, so that it is no matter if all of it go back.

    Raises:
        BadInput: it is no such list, or others than the last cycles go back whole.
    """
    number, low = size(HIGH, values[HIGH]), size(LOW, values[LOW])
    listed = [2] if values[BACK] is None else values[BACK]
    if not isinstance(listed, list):
        raise _misfit(values, "a list of whole numbers is meant.")
    said = [min(size(f"{BACK}[{i}]", n), low) for i, n in enumerate(listed[:number])]
    ones = number - len(said)
    if low == 1 or (not ones and set(said) == {low}):
        return {"back": "all", "N_hi": str(number), "N_lo": str(low)}
    last = next((i for i, n in enumerate(reversed(said)) if n < low), len(said))
    cut = said[: len(said) - last]
    back, rest = ones + sum(cut), ones + len(cut)
    if low in cut[0 if ones else 1 :] or rest * low - back < rest:
        raise _misfit(values, "of the high cycles but the first and the last ones some low ones "
                      f"have to be left out, fewer than {LOW} = {low} go back.")  # fmt: skip
    found = {"N_hi": str(rest), "N_lo": str(low), "N_bp": str(back)}
    return {**found, "back": "last", "N_all": str(last)} if last else {**found, "back": "some"}


def _misfit(values: Values, why: str) -> BadInput:
    return BadInput(f"{BACK} = {shown(written(values[BACK]))} is not supported: {why}")


def _layers(values: Values) -> Settings:
    """Return the blocks of a stack, where they are said: else all layers are meant for each."""
    said = values["num_layers_per_stack"]
    return {} if said is None else {"L": str(size("num_layers_per_stack", said))}


def _room(values: Values) -> Remark | None:
    """Remark on fewer layers than runs of blocks: the class has no room for keys and values."""
    said, layers = values["num_layers_per_stack"], values["num_hidden_layers"]
    if said is None:
        return None
    runs = said * values[HIGH] * (values[LOW] + 1)
    return Remark("no_room_for_runs", {"runs": runs}) if layers < runs else None


def _named(stack: str, ours: str) -> dict[str, tuple[str, ...]]:
    """Return what stands behind the weights of a stack."""
    root = f"model.{stack}.layers.*."
    found: dict[str, tuple[str, ...]] = {}
    for part, names, end in (("self_attn", ATTENTION, ""), ("mlp", NETWORK, "_ff")):
        for name in names:
            for weight, w in (("weight", "W"), ("bias", "b")):
                theirs = f"{root}{part}.{name.lower()}_proj.{weight}"
                found[theirs] = (f"{w}_{name}{end}_{ours}",)
    return found


REMARKS = {"num_layers_per_stack": _room}
HRM_TEXT = Family(
    "hrm_text",
    {"HrmTextForCausalLM": Built("hrm_text", {"head": "lm"}, remarks=REMARKS),
     "HrmTextModel": Built("hrm_text", {"head": "bare"}, remarks=REMARKS)},
    {
        **{name: use for name, use in LLAMA_KEYS.items() if name != "num_key_value_heads"},
        **BIASES,
        "hidden_act": Acting(learned=False),
        "head_dim": SizeOf("d_h"),
        **dict.fromkeys(
            ("num_layers_per_stack", HIGH, LOW, BACK), Ruled()
        ),
        **dict.fromkeys(("embedding_scale", "prefix_lm"), FREE),
    },
    (
        DIVIDED,
        Rule((), _cycles),
        Rule(("num_hidden_layers",), _layers),
    ),
    {
        "model.embed_tokens.weight": ("token_embedding.E",),
        "model.z_L_init": ("z_low",),
        **_named("L_module", "low"), **_named("H_module", "high"),
        **HEADS,
    },
)  # fmt: skip
"""A prefix that is seen from both sides changes no count: nothing says how long it is."""
