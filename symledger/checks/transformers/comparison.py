"""A configuration against the implementation that it configures, built without any memory.

Hugging Face's transformers, or diffusers, builds the model on PyTorch's meta device: every tensor
has a shape and none has elements, so that the largest model is built in seconds. Needs the extra
``torch``.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import signature
from math import prod
from typing import Any

from symledger.accounts.account import Account
from symledger.checks.transformers.denoising import entering, one_by_one
from symledger.checks.transformers.imaging import IMAGES, images, sees_images
from symledger.checks.transformers.weights import Shape, compare, weights
from symledger.configs.families import home
from symledger.configs.read import Configuration
from symledger.errors import BadInput, shown
from symledger.evidence.claims import Claim
from symledger.evidence.comparison import Evidence
from symledger.extras import missing

LAYER = re.compile(r"(?<=\.)\d+(?=\.|$)")
"""The index of a layer in a name."""
TIES = ("t5", "mt5")
"""What is tied there whatever is said: T5 1.1, FLAN and mT5 have heads of their own in fact."""
PADDED = ("deberta-v2", "layoutlm")
"""What looks for padding among the tokens, which have no values here, unless a mask is given."""
ASKING = ("megatron-bert", "rembert", "roformer", "ibert", "moshi")
"""What asks a mask of its own for its values, which are none here, unless one of pairs is given: it
is not run on a token after others."""
PICKING = ("glm5_next_text",)
"""What picks whole blocks of tokens by their values, which are none here: its FLOPs are not run."""
OVERWRITING = ("rwkv", "xlstm")
"""What writes over its state, so that there is no backward pass where one is kept."""
MIXING = ("rwkv",)
"""What mixes the states of several sequences: it is not run on a token after others either."""
CHUNKED = ("xlstm",)
"""What is run on two chunks of tokens, and on a token after these."""
DELAYED = ("voxtral_realtime_text",)
"""What is told how late it writes: one vector, whatever the tokens are."""
LENGTHS = {"B": 2, "T": 16}
"""Of the sequences at which FLOPs are counted."""
SOURCE = {"S": 12, "S_img": 12}
"""Of the source, where an encoder reads one, and of what was seen, where a decoder is shown it."""
SHOWN = "cross_attention_states"
"""What such a decoder takes them as."""
WAVE = {"B": 2, "T_w": 3000}
"""Of a sound as it was recorded."""
Both = tuple[int, int | None]
"""FLOPs of a forward pass, and of the backward pass after it, if that can be run."""
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


def build(found: Configuration) -> Any:
    """Build what a configuration describes, with attention operation by operation.

    Raises:
        BadInput: the implementation fails at it, in whatever way.
    """
    import torch

    logging.getLogger(found.family.library).setLevel(logging.ERROR)
    try:
        with torch.device("meta"):
            return _diffuser(found) if found.family.library == "diffusers" else _transformer(found)
    except Exception as error:
        raise BadInput(
            f"{found.family.implementation} builds no {found.architecture} of this configuration: "
            f"{type(error).__name__}, {shown(str(error))}."
        ) from error


def _diffuser(found: Configuration) -> Any:
    import diffusers

    model = getattr(diffusers, found.architecture).from_config(dict(found.given))
    return one_by_one(model).train(False)


def _transformer(found: Configuration) -> Any:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    from symledger.tracing.subject import decoded

    family = found.family
    given = {key: value for key, value in found.given.items() if key != "model_type"}
    config = CONFIG_MAPPING[family.like or family.model_type].from_dict(decoded(given))
    kind = class_of(found)
    return untied(found, kind._from_config(config, attn_implementation="eager").train(False))


def class_of(found: Configuration) -> Any:
    """Return the class that a configuration is of; that of a part of others is not public."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if kind := getattr(transformers, found.architecture, None):
        return kind
    configured = CONFIG_MAPPING[found.family.like or found.family.model_type]
    module = configured.__module__.replace(".configuration_", ".modeling_")
    return getattr(import_module(module), found.architecture)


def untied(found: Configuration, model: Any) -> Any:
    """Return a model whose head has weights of its own where the file says so, and files have."""
    import torch

    if found.model_type in TIES and found.given.get("tie_word_embeddings") is False:
        head = model.get_output_embeddings()
        head.weight = torch.nn.Parameter(head.weight.detach().clone())
    return model


def shapes(model: Any) -> Mapping[str, Counter[Shape]]:
    """Return the shapes of a model's parameters by name, each tensor once, layers as ``*``.

    One that has several names, as a tied table has, goes by that inside the model without a head.
    """
    within = getattr(model, "base_model_prefix", "")
    names: dict[Any, str] = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        if p.numel() == 0:  # of experts that there are none of
            continue
        if p not in names or (name.startswith(f"{within}.") > names[p].startswith(f"{within}.")):
            names[p] = name
    found: dict[str, Counter[Shape]] = {}
    for p, name in names.items():
        found.setdefault(LAYER.sub("*", name), Counter())[tuple(p.shape)] += 1
    return found


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


def flops(model: Any, lengths: Mapping[str, int]) -> Both:
    """Return the FLOPs that PyTorch counts in a forward pass, and in a backward pass after it."""
    import torch

    tokens = torch.zeros(lengths["B"], lengths["T"], dtype=torch.long, device="meta")
    given = {"input_ids": tokens, **_told(model)}
    if model.config.model_type in PADDED:
        given["attention_mask"] = torch.ones_like(tokens)
    if model.config.model_type in ASKING:
        pairs = (lengths["B"], 1, lengths["T"], lengths["T"])
        given["attention_mask"] = torch.zeros(*pairs, device="meta")
    if model.config.model_type in OVERWRITING:
        given["use_cache"] = False
    if "S" in lengths and model.config.is_encoder_decoder:
        source = torch.zeros(lengths["B"], lengths["S"], dtype=torch.long, device="meta")
        given = {"input_ids": source, "decoder_input_ids": tokens}
    elif {*SOURCE} & {*lengths}:
        given |= _memory(model, lengths)
    return passes(model, given)


def heard() -> Mapping[str, Any]:
    """Return a sound, which asks for a gradient as it does in training."""
    import torch

    wave = torch.zeros(WAVE["B"], WAVE["T_w"], device="meta", requires_grad=True)
    return {"input_values": wave}


def passes(model: Any, given: Mapping[str, Any]) -> Both:
    """Return the FLOPs of a forward pass over what is given, and of the backward pass after it.

    There is none of the latter where PyTorch asks for a single number that it would have, such as a
    factor that was learned.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as forward:
        results = model(**given)
    ends = [x for x in results.values() if torch.is_tensor(x) and x.requires_grad]
    grouped = {torch.ops.aten.convolution_backward: _convolution_backward}
    try:
        with FlopCounterMode(display=False, custom_mapping=grouped) as backward:
            torch.stack([x.sum() for x in ends]).sum().backward()
    except NotImplementedError:
        return forward.get_total_flops(), None
    return forward.get_total_flops(), backward.get_total_flops()


def _told(model: Any) -> dict[str, Any]:
    """Return what is told besides tokens."""
    import torch

    if model.config.model_type not in DELAYED:
        return {}
    return {"t_cond": torch.zeros(1, model.config.hidden_size, device="meta")}


def _memory(model: Any, lengths: Mapping[str, int]) -> dict[str, Any]:
    """Return what a decoder alone attends to, asking for a gradient, and a cache that is empty.

    It grows with the layers: one that the class makes has as many as the encoder.
    """
    import torch
    from transformers.cache_utils import DynamicCache, EncoderDecoderCache

    asked = signature(model.forward).parameters
    if SHOWN in asked:
        shape = (lengths["B"], lengths["S_img"], model.config.hidden_size)
        return {SHOWN: torch.zeros(*shape, device="meta", requires_grad=True)}
    shape = (lengths["B"], lengths["S"], model.config.d_model)
    names = {"encoder_outputs", "encoder_hidden_states"} & set(asked)
    memory = dict.fromkeys(names, torch.zeros(*shape, device="meta", requires_grad=True))
    return {**memory, "past_key_values": EncoderDecoderCache(DynamicCache(), DynamicCache())}


def _convolution_backward(
    dy: Shape, x: Shape, w: Shape, *rest: Any, out_shape: Any = None, **_: Any
) -> int:
    """Count a convolution pulled back with its groups, which PyTorch's counter ignores.

    Each of the gradients that are asked for takes as much as the convolution itself.
    """
    transposed, asked = rest[4], rest[7]
    seen = x if transposed else dy
    return int(2 * seen[0] * prod(seen[2:]) * prod(w) * (bool(asked[0]) + bool(asked[1])))


def decoded(model: Any, lengths: Mapping[str, int]) -> int | None:
    """Return the FLOPs that PyTorch counts for the last token, what the others left being kept.

    None where the implementation keeps nothing between tokens, or, of images that are shown, takes
    how many vectors they have for the tokens before, where the first layer attends to them.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    asked = set(signature(model.forward).parameters)
    kept = {"past_key_values", "cache_params"} & asked
    if SHOWN in asked:
        return None
    tokens = torch.zeros(lengths["B"], lengths["T"], dtype=torch.long, device="meta")
    name, given = "input_ids", _told(model)
    if "S" in lengths and model.config.is_encoder_decoder:
        source = torch.zeros(lengths["B"], lengths["S"], dtype=torch.long, device="meta")
        name, given = "decoder_input_ids", {"encoder_outputs": model.get_encoder()(source)}
    elif "S" in lengths:
        given = _memory(model, lengths)
    before = model(**{name: tokens[:, :-1]}, use_cache=True, **given)
    given |= {key: before[key] for key in kept if key in before}
    if not kept & set(given):
        return None
    with FlopCounterMode(display=False) as counter:
        model(**{name: tokens[:, -1:]}, use_cache=True, **given)
    return int(counter.get_total_flops())


def _denoised(account: Account, found: Configuration, model: Any) -> Iterator[Evidence]:
    """Compare the FLOPs at the images and texts that the configuration is made for."""
    sizes = {symbol.name: n for symbol, n in account.assumed.bindings.items()}
    if "H" in sizes:  # a file may leave open how large images are
        yield from _compared(account, found, passes(model, entering(model, sizes)))


def _seen(account: Account, found: Configuration, model: Any) -> Iterator[Evidence]:
    """Compare the FLOPs at images of the size that the configuration says."""
    sizes = {symbol.name: n for symbol, n in account.assumed.bindings.items()}
    if sees_images(model, sizes):
        at = account.subs({"B": IMAGES})
        yield from _compared(at, found, passes(model, images(sizes)))


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
