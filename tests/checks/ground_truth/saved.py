"""Which question of ours each measured number of saved bytes is, at any sizes."""

from dataclasses import dataclass, field
from pathlib import Path

OPERATIONS = Path(__file__).with_name("operations.py")


@dataclass(frozen=True)
class Question:
    """A target with its settings, and which artefacts occur, how often."""

    target: str
    settings: dict[str, object]
    uses: dict[str, int] = field(default_factory=dict)
    conventions: dict[str, object] = field(default_factory=dict)
    quantity: str = "memory.saved"


def torch(layer):
    """A layer as it is written in PyTorch, of rows of B × T elements."""
    def asked(B, T, D):
        return Question(f"nn.{layer.format(D=D)}", {"B": B, "T": T, **free(layer, n=D)})
    return asked


def free(layer, n):
    """The length of the last axis, where the constructor does not say it."""
    return {} if "{D}" in layer else {"n": n}


def own(name, **more):
    """An operation of one axis that PyTorch has no layer for."""
    return lambda B, T, D: Question(f"{OPERATIONS}:{name}", {"B": B, "T": T, "d": D, **more})


def linear(layer, **conventions):
    """A linear layer of B·T rows."""
    return lambda B, T, I, O: Question(  # noqa: E741
        f"nn.{layer.format(I=I, O=O)}", {"B": B * T}, conventions=conventions
    )


def heads(target, uses=lambda B, T, H: {}, **options):
    """Attention of H heads that are E wide together."""
    def asked(B, T, H, E):
        sizes = {"B": B, "T": T, "S": T, "h": H, "d_k": E // H}
        return Question(target, {**sizes, **options}, uses(B, T, H))
    return asked


OPERATIONS_SAVED = {
    "linear_nobias": linear("Linear({I}, {O}, bias=False)"),
    "linear_bias_input_without_grad": linear("Linear({I}, {O})", input_gradient=False),
    "linear_frozen_weight": linear("Linear({I}, {O})", frozen="W"),
    "layernorm_affine": torch("LayerNorm({D})"),
    "layernorm_no_affine": torch("LayerNorm({D}, elementwise_affine=False)"),
    "rmsnorm_handwritten": lambda B, T, D: Question("composed_rms_norm", {"B": B, "T": T, "d": D}),
    "rmsnorm_torch_nn": lambda B, T, D: Question(
        f"nn.RMSNorm({D})", {"B": B, "T": T}, {"fused norm": B * T * D}),
    "rmsnorm_hf_gemma": own("GemmaNorm"),
    "gelu_erf": torch("GELU()"),
    "gelu_new_hf_composed": own("ComposedGELU"),
    "silu": torch("SiLU()"),
    "relu": torch("ReLU()"),
    "tanh": torch("Tanh()"),
    "softmax": torch("Softmax(dim=-1)"),
    "dropout_train_p0.1_cpu": lambda B, T, D: Question(
        "nn.Dropout(0.1)", {"B": B, "T": T, "n": D}, {"noise": B * T * D}),
    "dropout_eval": own("Identity"),
    "dropout_p0_train": own("Identity"),
    "residual_add": own("Sum"),
    "mul_scalar": own("Doubled"),
    "square_pow2": own("Square"),
    "mean_lastdim": own("Mean"),
    "rsqrt": own("RsqrtOfAbs"),
    "transpose_contiguous": own("Transposed"),
    "mul_two_activations": own("Product"),
    "cross_entropy_mean": lambda N, V: Question(
        "nn.CrossEntropyLoss()", {"B": N, "T": 1, "V": V}, {"loss": 1}),
    "matmul_qk": heads(f"{OPERATIONS}:Scores"),
    "attention_eager_core": heads("dot_product_attention"),
    "attention_eager_core_mask": heads("dot_product_attention", causal=True),
    "attention_eager_core_dropout0.1": heads(
        "dot_product_attention", lambda B, T, H: {"noise": B * H * T * T}, dropout=True),
    "sdpa_cpu_flash": heads("flash_attention"),
    "sdpa_cpu_flash_mask": heads(
        "flash_attention", lambda B, T, H: {"tables": 4 * T * T}, causal=True),
    "nn_multiheadattention_self": lambda B, T, H, E: Question(
        "self_attention", {"B": B, "T": T, "d": E, "h": H, "bias": True, "flash": True}),
    "nn_transformerencoderlayer_p0": lambda B, T, H, E: Question(
        f"nn.TransformerEncoderLayer({E}, {H}, {4 * E}, dropout=0.0)",
        {"B": B, "T": T, "flash": True}),
    "conv2d": lambda B, C, O, K, S: Question(  # noqa: E741
        f"nn.Conv2d({C}, {O}, {K})", {"B": B, "H": S, "W": S}),
    "maxpool2d_2x2": lambda B, C, O, K, S: Question(  # noqa: E741
        "nn.MaxPool2d(2)", {"B": B, "C": C, "H": S, "W": S}, {"unread input": B * C * S * S}),
}  # fmt: skip
"""What one operation keeps."""


def block(kind, dims, **options):
    """A transformer block of these sizes."""
    return Question(f"{kind}_ln_block", {**common(dims), **options})


def common(dims):
    names = {"B": "B", "T": "T", "d": "D", "h": "H", "d_ff": "F_"}
    return {name: dims[theirs] for name, theirs in names.items()}


def rows(dims):
    return {"B": dims["B"], "T": dims["T"], "d": dims["D"]}


def tokens(dims):
    """Embedding alone, before the first layer: whole numbers are kept."""
    return Question("token_embedding", {"B": dims["B"], "T": dims["T"]})


SEGMENTS = 64
"""How long BERT's table of segments was where it was measured."""


def gpt2(dims, flash):
    """GPT-2's block, its GELU composed of several operations, and the model around it."""
    known, positions = {**common(dims), "flash": flash}, {"tables": 8 * dims["T"]}
    return {
        "bytes": block("pre", dims, activation="gelu_new", flash=flash),
        "after": Question(f"{OPERATIONS}:End", rows(dims)),
        "model": Question("gpt2", {**known, "L": dims["L"], "composed": True}, positions),
    }


def bert(dims, flash):
    """BERT's block, the pooler after the last one, and the model; no segments are handed over.

    So each token's segment is of a table as long as positions are, which is kept instead.
    """
    B, T = dims["B"], dims["T"]
    tables = {"tables": 8 * T + 8 * SEGMENTS - 8 * B * T}
    return {
        "bytes": block("post", dims, flash=flash),
        "after": Question("pooler", rows(dims)),
        "model": Question("bert", {**common(dims), "flash": flash, "L": dims["L"]}, tables),
    }


def llama(dims, flash):
    """LLaMA's block with its norm handwritten, and the model around it."""
    B, T, D, H, L = (dims[name] for name in "BTDHL")
    shared = {"repeated heads": B * T * (H - dims["KV"]) * 2 * D // H}
    shared = shared if dims["KV"] < H else {}
    whole = {**shared, "fused norm": (2 * L + 1) * B * T * D, "tables": 8 * T * D // H}
    whole.update({name: L * n for name, n in shared.items()})
    known = {**common(dims), "h_kv": dims["KV"], "flash": flash}
    one = {**known, "norm": "rms_composed", "activation": "silu", "gated": True, "bias": False,
           "rotary": True}  # fmt: skip
    return {
        "bytes": Question("pre_ln_block", one, shared),
        "after": Question(f"{OPERATIONS}:End", {**rows(dims), "norm": "rms_composed"}),
        "model": Question("llama", {**known, "L": L}, whole),
    }


def end(dims, norm="layer", positions=True):
    """The last norm and the logits."""
    before = tokens(dims)
    before.uses.update({"tables": 8 * dims["T"]} if positions else {})
    here = {**rows(dims), "V": dims["V"], "norm": norm}
    return {"bytes": Question(f"{OPERATIONS}:End", here), "before": before}


def end_with_loss(dims):
    """The same, and the loss."""
    here = {**rows(dims), "V": dims["V"]}
    return {**end(dims), "bytes": Question(f"{OPERATIONS}:EndWithLoss", here, {"loss": 1})}


MODELS_SAVED = {"gpt2": gpt2, "bert": bert, "llama": llama}
ENDS_SAVED = {
    "gpt2_after_last_layer_logits_only": end,
    "gpt2_after_last_layer_with_loss": end_with_loss,
    "llama_after_last_layer_logits_only": lambda dims: end(dims, "rms_composed", positions=False),
}


def questions(name, dims):
    """Return the question of each measured number of a record, at its sizes."""
    family, _, rest = name.partition("_block_")
    if rest:
        return MODELS_SAVED[family](dims, flash=rest.startswith("sdpa"))
    if name in ENDS_SAVED:
        return ENDS_SAVED[name](dims)
    return {"bytes": OPERATIONS_SAVED[name](**dims)}
