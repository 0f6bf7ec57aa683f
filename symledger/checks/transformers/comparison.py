"""A configuration against the implementation that it configures, built without any memory.

Hugging Face's transformers, or diffusers, builds the model on PyTorch's meta device: every tensor
has a shape and none has elements, so that the largest model is built in seconds. Needs the extra
``torch``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symledger.accounts.account import Account
from symledger.checks.transformers.building import build, shapes
from symledger.checks.transformers.denoising import entering
from symledger.checks.transformers.imaging import IMAGES, seen
from symledger.checks.transformers.passes import (
    ASKING,
    SOURCE,
    WAVE,
    Both,
    decoded,
    flops,
    heard,
    passes,
)
from symledger.checks.transformers.weights import compare, weights
from symledger.configs.configuration import Configuration
from symledger.configs.families import home
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.extras import missing

PICKING = ("glm5_next_text",)
"""What picks whole blocks of tokens by their values, which are none here: its FLOPs are not run."""
MIXING = ("rwkv",)
"""What mixes the states of several sequences: it is not run on a token after others either."""
CHUNKED = ("xlstm",)
"""What is run on two chunks of tokens, and on a token after these."""
LENGTHS = {"B": 2, "T": 16}
"""Of the sequences at which FLOPs are counted."""
WAYS = {
    "flops.forward": "built FLOPs forward", "flops.backward": "built FLOPs backward",
    "flops.decode": "built FLOPs decoding",
}  # fmt: skip
"""What is claimed of FLOPs: forward, backward, and for the last token after the others."""


def installed(library: str = "transformers") -> bool:
    """Whether the implementation is there."""
    return not missing(("torch", library))


def witnessed(account: Account) -> Iterator[Evidence]:
    """Compare a configuration's weights, and its FLOPs where tokens, images or noisy images enter.

    Beside tokens there may be a memory, and nothing else; beside images nothing.
    """
    found = account.target.configured
    if found is None or not installed(found.family.library):
        return
    model = build(found)
    wrong = compare(weights(account), shapes(model), found.family.tensors)
    if wrong:
        file = home(found.family.key, found.family.model_type)
        wrong = [*wrong[:3], f"correct the definition, or tensors in {file}"]
    yield _evidence(account, found, "params", "built parameters", wrong)
    if found.family.library == "diffusers":
        yield from _denoised(account, found, model)
    elif found.model_type in PICKING:
        return
    elif reads_tokens(model) and not account.readings.has_routed:
        yield from _counted(account, found, model)
    elif getattr(model, "main_input_name", "") == "input_values" and "T_w" in account.symbols:
        yield from _compared(account.subs(WAVE), found, passes(model, heard()))
    else:
        yield from _seen(account, found, model)


def reads_tokens(model: Any) -> bool:
    """Whether token ids are all that a model needs, one sequence at a time, whatever they are."""
    name = type(model).__name__
    if not hasattr(model, "main_input_name"):
        return False
    reads_ends = name.endswith("ForSequenceClassification") and model.config.is_encoder_decoder
    entering = model.input_modalities  # a name, or several
    entering = {entering} if isinstance(entering, str) else {*entering}
    others = {"image", "audio", "video"} & entering
    unread = reads_ends or name.endswith("MultipleChoice") or bool(others)
    return model.main_input_name == "input_ids" and not unread


def _denoised(account: Account, found: Configuration, model: Any) -> Iterator[Evidence]:
    """Compare the FLOPs at the images and texts that the configuration is made for."""
    sizes = {symbol.name: n for symbol, n in account.assumed.bindings.items()}
    if "H" in sizes:  # a file may leave open how large images are
        yield from _compared(account, found, passes(model, entering(model, sizes)))


def _seen(account: Account, found: Configuration, model: Any) -> Iterator[Evidence]:
    """Compare the FLOPs at images, films or spectra of the size that the configuration says."""
    sizes = {symbol.name: n for symbol, n in account.assumed.bindings.items()}
    if given := seen(model, sizes):
        at = account.subs({"B": IMAGES})
        yield from _compared(at, found, passes(model, given))


def _counted(account: Account, found: Configuration, model: Any) -> Iterator[Evidence]:
    lengths = LENGTHS | {name: n for name, n in SOURCE.items() if name in account.symbols}
    steps = "flops.decode" in account.quantities and found.model_type not in (*ASKING, *MIXING)
    more = 0
    if found.model_type in CHUNKED:
        lengths, more = {**lengths, "T": 2 * model.config.chunk_size}, 1
        steps = steps and _fits(model.config)
    last = decoded(model, {**lengths, "T": lengths["T"] + more}) if steps else None
    yield from _compared(account.subs(lengths), found, flops(model, lengths), last)


def _fits(config: Any) -> bool:
    """Whether xLSTM's cache is as wide as what it is for: widths are rounded up there alone."""
    shares = {"qk_dim": config.qk_dim_factor, "v_dim": config.v_dim_factor}
    return all(getattr(config, n) == int(config.hidden_size * x) for n, x in shares.items())


def _compared(
    at: Account, found: Configuration, both: Both, last: int | None = None
) -> Iterator[Evidence]:
    counts = dict(zip(WAYS, (*both, last), strict=True))
    for quantity, measured in counts.items():
        if measured is None:
            continue
        ours = at[quantity].value
        wrong = [] if ours == measured else [f"the formula gives {ours}, PyTorch {measured}"]
        yield _evidence(at, found, quantity, WAYS[quantity], wrong)


def _evidence(
    account: Account, found: Configuration, quantity: str, claim: str, wrong: list[str]
) -> Evidence:
    point = {symbol.name: n for symbol, n in account.assumed.bindings.items()}
    about = Claim(claim, (found.architecture, found.family.implementation))
    detail = "; ".join(wrong[:4])
    return Evidence(quantity, about, (point,), 0, str(len(wrong)), not wrong, detail)
