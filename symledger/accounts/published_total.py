"""How many parameters were published for a configuration, beside those that are derived."""

from __future__ import annotations

from symledger.accounts.account import Account
from symledger.catalogue.checkpoints import Total
from symledger.languages.message import Text, Verbatim, joined, message, word

WHY = {
    "shared": word("total.why.shared", "a matrix that is shared, such as a tied head, is counted "
                   "once more"),
    "heads": word("total.why.heads", "heads for what it was trained on are counted"),
    "no_head": word("total.why.no_head", "its head is not counted"),
    "no_pooler": word("total.why.no_pooler", "its pooler is not counted"),
    "classes": word("total.why.classes", "a head for 1000 classes is counted"),
    "buffers": word("total.why.buffers", "masks, frequencies or biases of experts, which are "
                    "buffers, are counted"),
    "unused": word("total.why.unused", "a table that is not used is counted"),
    "scales": word("total.why.scales", "scales of quantized weights are counted"),
    "vision": word("total.why.vision", "the tower for images, of which this is the decoder, is "
                   "counted"),
    "prediction": word("total.why.prediction", "layers of multi-token prediction, which the "
                       "implementation does not build, are counted"),
    "rounded": word("total.why.rounded", "it was rounded down"),
}  # fmt: skip
"""Why others are published than are derived."""


def written(total: Total) -> str:
    """Write the number as it was published."""
    return f"{total.said:,}" if isinstance(total.said, int) else Verbatim(total.said)


def compared(account: Account) -> Text | None:
    """Say what was published and how it differs; nothing where nothing was."""
    total = account.target.total
    if total is None:
        return None
    n = total.said if isinstance(total.said, int) else written(total)
    said = message("total.published", total=n, source=Verbatim(total.source))
    why = joined((WHY[reason] for reason in total.why), "; ")
    ours = account.params.value
    if not total.why:
        return joined((said, message("total.equal")), "; ")
    if not isinstance(total.said, int) or ours is None or ours.denominator != 1:
        return joined((said, why), "; ")
    by = total.said - int(ours)
    more = message("total.more", n=by) if by > 0 else message("total.fewer", n=-by)
    return joined((joined((said, more), "; "), why), ": ")
