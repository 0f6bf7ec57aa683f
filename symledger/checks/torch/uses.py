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
        fused_attention=pairs * bool(o.get("flash")), noise=pairs * bool(o.get("dropout")),
        fused_norm="B*T*h*d_v" * bool(o.get("inner_norm")),
    )  # fmt: skip


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
