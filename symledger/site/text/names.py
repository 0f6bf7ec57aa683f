"""The names of components, as people write them."""

from __future__ import annotations

from symledger.catalogue.texts import text_of
from symledger.languages.message import Word, word

SPELLED = {
    "alibi": "ALiBi", "gru": "GRU", "lm": "LM", "ln": "LN", "lora": "LoRA", "lstm": "LSTM",
    "rms": "RMS", "rnn": "RNN", "pre": "pre-", "post": "post-",
}  # fmt: skip
"""Words of names that people spell otherwise."""


def title(name: str) -> Word:
    """Return the name of a component as people write it.

    >>> title("pre_ln_block"), title("batch_norm")
    ('Pre-LN block', 'Batch norm')
    """
    words = " ".join(SPELLED.get(word, word) for word in name.split("_"))
    plain = words.replace("- ", "-")
    return word(f"name.{name}", text_of(name).name or plain[0].upper() + plain[1:])
