"""What our weights are called in PyTorch's own transformer layers."""

from __future__ import annotations

from symledger.checks.torch.case import Names

PACKED: Names = {
    "in_proj_weight": ("Q.W'", "K.W'", "V.W'"), "in_proj_bias": ("Q.b", "K.b", "V.b"),
    "out_proj.weight": ("O.W'",), "out_proj.bias": ("O.b",),
}  # fmt: skip


def layer_names(theirs: str, ours: str, crossed: bool = False) -> Names:
    """The weights of a transformer layer of PyTorch, of an encoder's or of a decoder's."""
    attentions = {"self_attn": "attention", "multihead_attn": "cross_attention"}
    if not crossed:
        del attentions["multihead_attn"]
    return {
        **{f"{theirs}{their}.{k}": tuple(f"{ours}{our}.{n}" for n in names)
           for their, our in attentions.items() for k, names in PACKED.items()},
        **{f"{theirs}linear{i}.{k}": (f"{ours}feed_forward.{i}.{n}",) for i in (1, 2)
           for k, n in (("weight", "W'"), ("bias", "b"))},
        **{f"{theirs}norm{i}.{k}": (f"{ours}norm_{i}.{n}",) for i in (1, 2, 3)
           for k, n in (("weight", "g"), ("bias", "b"))},
    }  # fmt: skip
