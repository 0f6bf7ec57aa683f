"""What several commands share: options of how things are counted, settings, JSON."""

from __future__ import annotations

import sys
from typing import Any

import click

from symledger.errors import BadInput, quoted, shown

RECIPE = click.option(
    "--recipe", metavar="NAME",
    help="A usual way to run a model; what is set beside it wins. fp32, fp16, bf16 or "
         "inference-bf16, each with -flash too; mixed, with -flash, -recompute or both; megatron, "
         "deepseek-v3, with -fp8 too.",
)  # fmt: skip
DTYPE = click.option("--dtype", help="The type of values, for bytes; fp32 unless told.")
OPTIMIZER = click.option(
    "--optimizer", metavar="NAME",
    help="sgd, momentum, adam (unless told), adam-mixed (fp32 master weights), adafactor, muon, "
         "adam8bit, rmsprop, …",
)  # fmt: skip
GRADIENTS = click.option(
    "--gradients", metavar="TYPE", help="The type of gradients; that of values unless told."
)
COUNTERS = click.option(
    "--counters", is_flag=True, help="Count the scalars that PyTorch keeps for each weight, too."
)
WEIGHTS = click.option(
    "--weights", metavar="TYPE[:NAME,…]",
    help="Weights that are not trained in a quantised type: int8, nf4, nf4-double, mxfp4, mxfp6, "
         "mxfp8, mxint8; all matrices unless some are named (* allowed).",
)  # fmt: skip
CACHE = click.option(
    "--cache", metavar="LAYOUT,TYPE",
    help="Where keys and values lie between decoding steps: static, dynamic, prefilled or "
         "paged[:16]; and in which type: fp8, int8, int4 or int2.",
)  # fmt: skip
PRODUCTS = click.option(
    "--products", metavar="TYPE",
    help="The type of what is multiplied by weights, and kept for their gradients: fp8, as "
         "DeepSeek-V3 was trained; with bf16 or fp16 all values as torch.autocast has them; that "
         "of values unless told.",
)  # fmt: skip
STEP = click.option(
    "--step", metavar="WAY",
    help="How the optimizer's step is run, for its peak: foreach, single or fused; as torch.optim "
         "runs it on an accelerator unless told.",
)  # fmt: skip
FIRST = click.option(
    "--first", is_flag=True, help="Peaks of the first step, which finds no state."
)
ACCUMULATE = click.option(
    "--accumulate", is_flag=True, help="Peaks of a batch that finds the gradients of others."
)
LORA = click.option(
    "--lora", metavar="r=RANK[:NAME,…]",
    help="Train low-rank adapters of linear maps alone: of those to queries and values, unless "
         "maps, or what they are in, are named (attention,feed_forward.down).",
)  # fmt: skip
RECOMPUTE = click.option(
    "--recompute", metavar="PLAN",
    help="What the backward pass runs again instead of keeping it: none, full, a dotted name "
         "(attention.core), several with commas between them, or every so many blocks together "
         "(block:2); with :early behind it, no further than to what is needed; with :discard, what "
         "they give is not kept either.",
)  # fmt: skip
SCHEDULE = click.option(
    "--schedule", metavar="NAME",
    help="When values live and die, for peaks: program (unless told), or eager, as PyTorch runs "
         "it: of a trace, and where a reference implementation was observed.",
)  # fmt: skip
CAUSAL = click.option(
    "--causal", help="How masked pairs are charged: full (unless told), half or exact."
)


def split_settings(settings: tuple[str, ...]) -> dict[str, str]:
    """Read ``NAME=VALUE`` pairs; the same name may not be given two values.

    Raises:
        BadInput: one is not of that form.
    """
    found: dict[str, str] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise BadInput(f"{quoted(text)} is not a setting: write one as --set d=128.")
        if found.get(name, value) != value:
            raise BadInput(
                f"{shown(name)} was set twice, to {shown(found[name])} and to {shown(value)}."
            )
        found[name] = value
    return found


def width() -> int:
    """Return the width of the terminal; 100 where there is none."""
    from shutil import get_terminal_size

    return max(get_terminal_size((100, 24)).columns, 60) if sys.stdout.isatty() else 100


def print_json(data: Any) -> None:
    """Print one JSON object."""
    import json

    plain = (sys.stdout.encoding or "utf-8").lower() != "utf-8"
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=plain) + "\n")
