"""The sizes of worked examples: those that a text states, else usual ones, symbol by symbol."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from symledger.accounts.account import Account, derive
from symledger.catalogue.texts import Text

USUAL = {
    "B": 8, "T": 512, "S": 1024, "V": 50257, "T_max": 1024, "L": 12, "L_enc": 6, "L_dec": 6,
    "d": 768, "h": 12, "h_kv": 4, "d_k": 64, "d_h": 64, "d_ff": 2048, "d_in": 768, "d_out": 3072,
    "d_s": 256, "d_r": 8, "n": 1024, "n_b": 32, "w": 128, "E": 8, "k": 2, "N": 4096, "T_e": 1024,
    "C": 64, "C_in": 64, "C_out": 128, "G": 32, "H": 56, "W": 56, "K": 3, "K_h": 3,
    "K_w": 3, "K_d": 3, "D": 16, "T_o": 8, "D_o": 8, "H_o": 7, "W_o": 7, "u": 2,
    "d_1": 256, "d_2": 256,
}  # fmt: skip
"""GPT-2 small and BERT-base (d, h, V), a block of ResNet-50 (C, H, W), Mixtral (E, k)."""

OWN: dict[str, dict[str, int]] = {
    "cached_attention": {"T": 1},
    "padding1d": {"p": 1}, "padding2d": {"p_h": 1}, "padding3d": {"p_d": 1},
    **{cell: {"T": 128, "L": 2, "d_in": 128, "d_s": 256} for cell in ("rnn", "gru", "lstm")},
}  # fmt: skip
"""Where a symbol has other usual sizes."""


def settings(account: Account, text: Text) -> dict[str, str]:
    """Return the sizes and choices of a target's worked example, as ``--set`` takes them."""
    stated = dict(text.example.settings) if text.example else {}
    said = {n: word(value) for n, value in stated.items()}
    found = usual(account, without=stated)
    choices = frozenset((n, v) for n, v in said.items() if n in account.target.choices)
    if found and choices:
        there = _symbols(account.request.target, choices)
        found = {n: v for n, v in found.items() if n in there}
    return {**found, **said}


@cache
def _symbols(target: str, choices: frozenset[tuple[str, str]]) -> frozenset[str]:
    """Return the symbols of a target with some choices, which may leave sizes out."""
    return frozenset(derive(target, dict(choices)).symbols)


def usual(account: Account, without: Container[str] = ()) -> dict[str, str]:
    """Return usual sizes for the symbols that nothing decides."""
    sizes = {**USUAL, **OWN.get(account.target.entry, {})}
    free = sorted(undecided(account) & sizes.keys())
    return {name: str(sizes[name]) for name in free if name not in without}


def undecided(account: Account) -> set[str]:
    """Return the symbols that neither an assumption nor a definition decides."""
    decided = {*account.assumed.equations, *account.program.definitions}
    return {name for name, symbol in account.symbols.items() if symbol not in decided}


def word(value: int | bool | str) -> str:
    """Write a value as ``--set`` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
