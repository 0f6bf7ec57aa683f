"""Usual sizes: what is common for each symbol, and what some configuration has.

These decide only where a number is looked for and what is shown first; every answer is an
exact equation between the number and a derived formula.
"""

from __future__ import annotations

from functools import cache

from symledger.explain.index.checkpoint_sizes import known

SELDOM = {("norm", "layer_plain"), ("norm", "rms_composed"), ("bias_kv", True), ("out_bias", True)}
"""Choices that hardly any model makes."""

DOUBLED = {1 << k for k in range(3, 17)} | {3 << k for k in range(3, 14)}
"""Powers of two, and three times these."""
SPATIAL = {7, 14, 28, 32, 56, 112, 224}
KERNELS = {1, 2, 3, 4, 5, 7, 11}
CLASSES = {2, 10, 100, 1000}

LAYERS = set(range(1, 13)) | {16, 18, 22, 24, 26, 28, 30, 32, 36, 40, 48, 60, 64, 80, 96, 126}
HEADS = set(range(1, 17)) | {20, 24, 25, 28, 32, 36, 40, 48, 52, 56, 64, 71, 80, 96, 128}
VOCABULARIES = {
    50304, 50265, 50280, 49152, 65024, 100277, 250002, 256000, 28996, 119547, 21128, 32768, 65536,
    1000, 10000, 20000, 32001, 51200, 51865, 49408,
}  # fmt: skip


@cache
def usual(symbol: str) -> tuple[int, ...]:
    """Return the usual values of a symbol, in order."""
    checkpoints = {k.sizes[symbol] for k in known() if symbol in k.sizes}
    match symbol:
        case "L":
            found = LAYERS
        case "h" | "h_kv":
            found = HEADS
        case "V":
            found = VOCABULARIES | {2**k for k in range(6, 18)}
        case "B":
            found = {2**k for k in range(11)}
        case "d_in" | "d_out" | "d_ff" | "p" | "C":
            found = DOUBLED | _widths() | CLASSES | {784}
        case _ if symbol.startswith(("k_", "K", "s_", "stride")):
            found = KERNELS
        case _ if symbol.startswith(("H", "W")):
            found = SPATIAL | DOUBLED
        case "d":
            found = DOUBLED
        case _:
            found = DOUBLED | {5, 7, 10, 14}
    return tuple(sorted(found | checkpoints))


@cache
def _widths() -> set[int]:
    """Return the widths of all linear maps."""
    return {n for k in known() for pair in k.pairs for n in pair}


@cache
def published_sizes() -> set[tuple[str, int]]:
    """Return the symbols with the values that they have in some configuration."""
    return {size for k in known() for size in k.sizes.items()}


@cache
def is_usual(symbol: str, value: int) -> bool:
    """Whether a value is among the usual ones of a symbol."""
    return value in usual(symbol)
