"""The FLOPs that PyTorch counts where a model of the implementation is run."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from math import prod
from typing import Any

from symledger.checks.transformers.weights import Shape

PADDED = ("deberta-v2", "layoutlm")
"""What looks for padding among the tokens, which have no values here, unless a mask is given."""
ASKING = ("megatron-bert", "rembert", "roformer", "ibert", "moshi")
"""What asks a mask of its own for its values, which are none here, unless one of pairs is given: it
is not run on a token after others."""
OVERWRITING = ("rwkv", "xlstm")
"""What writes over its state, so that there is no backward pass where one is kept."""
DELAYED = ("voxtral_realtime_text",)
"""What is told how late it writes: one vector, whatever the tokens are."""
REREADING = ("cpmant",)
"""What asks for all tokens in each step, and leaves those out itself that it has met."""
SOURCE = {"S": 12, "S_img": 12}
"""Of the source, where an encoder reads one, and of what was seen, where a decoder is shown it."""
SHOWN = "cross_attention_states"
"""What such a decoder takes them as."""
WAVE = {"B": 2, "T_w": 3000}
"""Of a sound as it was recorded."""
Both = tuple[int, int | None]
"""FLOPs of a forward pass, and of the backward pass after it, if that can be run."""


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
    last = tokens if model.config.model_type in REREADING else tokens[:, -1:]
    with FlopCounterMode(display=False) as counter:
        model(**{name: last}, use_cache=True, **given)
    return int(counter.get_total_flops())
