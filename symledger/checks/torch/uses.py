"""How often each artefact of PyTorch occurs in what is built with its choices."""

from __future__ import annotations

from symledger.checks.torch.artefacts import Uses
from symledger.checks.torch.parts import Options

OWN, OTHER = "B*T*T*h", "B*T*S*h"
"""The pairs of a sequence with itself, and with another one."""


def summed(*terms: str) -> str:
    """Write a sum of those terms that are there."""
    return " + ".join(term for term in terms if term)


def counted(**counts: str) -> Uses:
    """Return the artefacts that occur, by what they are called."""
    return {name.replace("_", " "): count for name, count in counts.items() if count}


def in_attention(o: Options, pairs: str = OTHER) -> Uses:
    """What occurs in attention by itself."""
    return counted(
        fused_attention=pairs * bool(o.get("flash")), noise=pairs * bool(o.get("dropout"))
    )


def in_block(o: Options, crossed: bool = False, norms: int = 0) -> Uses:
    """What occurs in a block: in its attention, its noise and its norms."""
    parts = 3 if crossed else 2
    norms = norms or parts
    pairs = f"({OWN} + {OTHER})" if crossed else OWN
    noise = summed(
        f"{pairs} + {parts}*B*T*d" * bool(o.get("dropout")),
        "B*T*d_ff" * bool(o.get("hidden_dropout")),
    )
    return counted(
        fused_attention=pairs * bool(o.get("flash")),
        noise=noise,
        fused_norm=f"{norms}*B*T*d" * (o["norm"] == "rms"),
    )


def in_recomputed(o: Options) -> Uses:
    """What occurs in a block that keeps nothing, and is run again."""
    fused = OWN * bool(o.get("flash"))
    return {name: fused for name in ("fused attention", "fused attention again") if fused}


def in_layers(o: Options, around: Uses, times: str = "L") -> Uses:
    """What occurs in L blocks of a model, and once more around them."""
    return in_stack(in_recomputed(o) if o.get("recompute") else in_block(o), around, times)


def in_stack(uses: Uses, more: Uses, times: str = "L") -> Uses:
    """What occurs in every layer, and once more around them."""
    names = dict.fromkeys((*uses, *more))
    return {
        name: summed(f"{times}*({uses[name]})" if name in uses else "", more.get(name, ""))
        for name in names
    }


def in_decoder(o: Options) -> Uses:
    """What occurs in a decoder."""
    around = counted(
        fused_norm="B*T*d" * (o["norm"] == "rms"), noise="B*T*d" * bool(o.get("dropout"))
    )
    return in_layers(o, around)


def in_plain_stack(o: Options, crossed: bool) -> Uses:
    """What occurs in a layer of PyTorch's own stacks."""
    return in_stack(in_block({**o, "hidden_dropout": o["dropout"], "norm": "layer"}, crossed), {})


def in_encoder_decoder(o: Options) -> Uses:
    """What occurs in an encoder and in a decoder that reads it."""
    choices = {**o, "norm": "layer"}
    within = {name: count.replace("T", "S") for name, count in in_block(choices).items()}
    return in_stack(within, in_stack(in_block(choices, crossed=True), {}, "L_dec"), "L_enc")


def in_encoder(o: Options) -> Uses:
    """What occurs in BERT's encoder and in what stands on it."""
    classified = {"sequences": "B*d", "tokens": "B*T*d"}.get(o["head"], "")
    noise = summed(f"B*T*{'d_e' if o['narrow'] else 'd'}", classified)
    return in_layers(
        {**o, "norm": "layer"}, counted(noise=noise * bool(o["dropout"])), o.get("times", "L")
    )


def in_recurrent(o: Options, kind: str, batch_first: bool = False) -> Uses:
    """What occurs in a recurrent network over time; both ways read what comes batch first."""
    layers, ways = "L" if o["stacked"] else "1", "2" if o["bidirectional"] else "1"
    shown = "d_p" if o.get("projected") else "d_s"
    between = f"(L - 1)*B*T*{ways}*{shown}" * o["stacked"]
    above = between * (not o["bidirectional"] and not o["dropout"])
    return counted(
        noise=between * o["dropout"],
        states=summed(f"{ways}*{layers}*B*d_s" * (kind == "RNN"), above),
        shown_cell=f"{ways}*{layers}*B*T*d_s" * (kind == "LSTM"),
        batch_first="B*T*d_in" * (batch_first and o["bidirectional"]),
    )
