"""The committed table of known artefacts: where PyTorch counts or keeps more, or less, and why.

Whatever is compared with an implementation may differ from the formula by these rows and by nothing
else, not by a single unit. A row says how much more there is for one use; what is compared says
how often it is used. A test fails where a row is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Uses = Mapping[str, str]
"""Names of artefacts, and how often each occurs, as an expression in sizes."""


@dataclass(frozen=True)
class Artefact:
    """A known difference: of which quantity, how much more for one use, and why."""

    quantity: str
    more: str
    reason: str


UNSEEN = "the counter does not see fused attention on CPU"

ARTEFACTS: Mapping[str, tuple[Artefact, ...]] = {
    "fused norm": (Artefact("memory.saved", "4", "nn.RMSNorm keeps the normalized x as well"),),
    "normalized alone": (Artefact("memory.saved", "-4", "where x asks for no gradient, nn.RMSNorm "
                                                        "keeps the normalized x alone"),),
    "repeated weights": (Artefact("memory.saved", "4", "nn.InstanceNorm keeps its factors and "
                                                       "running statistics for each image anew"),),
    "batch first": (Artefact("memory.saved", "4", "several sequences that come batch first are "
                                                  "copied for each product that reads them"),),
    "noise": (Artefact("memory.saved", "3", "the noise is kept as floats, not as bytes"),),
    "loss": (Artefact("memory.saved", "4", "the total weight of the classes is kept"),),
    "smoothed loss": (Artefact("memory.saved", "1", "which targets are ignored is kept as well, "
                                                    "and how many are not"),),
    "unread input": (Artefact("memory.saved", "4", "a pooling, nn.NLLLoss and what reflects or "
                                                   "replicates keep their input, and never read "
                                                   "it"),),
    "exponential": (Artefact("memory.saved", "4", "F.logsigmoid keeps exp(-|x|) as well, on CPU"),),
    "lengths": (Artefact("memory.saved", "4", "the lengths of vectors are kept twice: as they are, "
                                              "and at least ε"),),
    "bags": (Artefact("memory.saved", "8", "where each bag starts, how long it is and where it is "
                                           "largest is kept, and for a mean or with a "
                                           "padding_idx each token's bag"),),
    "states": (Artefact("memory.saved", "4", "states are kept once more as the next layer's input, "
                                             "and of nn.RNN the zeros that it starts from"),),
    "zeros": (Artefact("memory.saved", "4", "the zeros that it starts from are kept"),),
    "cut": (Artefact("memory.saved", "-4", "kept is a copy without what is cut off"),),
    "shown cell": (Artefact("memory.saved", "4", "tanh of the cell state is kept as well"),),
    "tables": (Artefact("memory.saved", "1", "tables that are handed over are kept: a mask, "
                                             "numbers of positions, angles"),),
    "repeated heads": (Artefact("memory.saved", "4", "keys and values that query heads share are "
                                                     "kept once for each of them"),),
    "fused attention": (
        Artefact("flops.forward", "-2*(d_k + d_v)", UNSEEN),
        Artefact("flops.backward", "-2*(3*d_k + 2*d_v)", UNSEEN),
    ),
    "fused attention again": (
        Artefact("flops.backward", "-2*(d_k + d_v)", UNSEEN + ", run again or not"),
    ),
    "unseen product": (
        Artefact("flops.forward", "-2*(d_1 + 1)", "the counter does not see nn.Bilinear"),
        Artefact("flops.backward", "-2*(3*d_1 + 2)", "the counter does not see nn.Bilinear"),
    ),
    "groups": (Artefact("flops.backward", "1", "groups are ignored in a kernel's gradient"),),
}  # fmt: skip
"""Measured on PyTorch 2.13 on CPU: bytes for an element (of an input, the noise, a state), for a
loss, for a byte of a table; FLOPs for a query-key pair of a head, and as such."""
