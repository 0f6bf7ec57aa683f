"""Optimizers: what each keeps for the weights that it trains, a row with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Form = Literal["each", "factored", "matrices", "blocks"]
"""How states follow weights: as many for each element; of a matrix its rows and its columns; of a
matrix one, and two of everything else; two in blocks of elements that share a scale."""
TORCH = "torch.optim.{}, PyTorch 2.13"


@dataclass(frozen=True)
class Optimizer:
    """What an optimizer keeps for each parameter beside its gradient.

    ``copies`` are tensors of the parameters' own type; ``wide`` are 4-byte ones whatever that is.
    ``scalars`` are the numbers of 4 bytes that PyTorch keeps for each weight: how many steps there
    were. What is ``factored`` keeps the means of rows and columns besides (``factors_wide``: in
    fp32).
    """

    copies: int
    wide: int
    meaning: str
    source: str = ""
    scalars: int = 0
    form: Form = "each"
    factors_wide: bool = False

    def state_bytes(self, value_bytes: int) -> int:
        """Return the bytes of optimizer state for one parameter."""
        return self.copies * value_bytes + 4 * self.wide


def torch(
    name: str, copies: int, meaning: str, scalars: int = 1, form: Form = "each"
) -> Optimizer:
    """Return a row of ``torch.optim``: states are of the weight's type."""
    return Optimizer(copies, 0, meaning, TORCH.format(name), scalars, form)


MEAN = "a mean of squares"
TRANSFORMERS = "transformers.Adafactor, transformers 5.23"
BY_ROWS = "means of squares of the rows and columns of each matrix, one for each element of others"

OPTIMIZERS: Mapping[str, Optimizer] = {
    "sgd": torch("SGD", 0, "no state", 0),
    "momentum": torch("SGD(momentum=…)", 1, "one velocity", 0),
    "adam": torch("Adam", 2, "a first and a second moment"),
    "adamw": torch("AdamW", 2, "a first and a second moment"),
    "amsgrad": torch("AdamW(amsgrad=True)", 3, "both moments, and the largest second one"),
    "nadam": torch("NAdam", 2, "a first and a second moment", 2),
    "radam": torch("RAdam", 2, "a first and a second moment"),
    "adamax": torch("Adamax", 2, "a first moment and a largest gradient"),
    "adagrad": torch("Adagrad", 1, "a sum of squares"),
    "adadelta": torch("Adadelta", 2, "means of squares, of gradients and of steps"),
    "rmsprop": torch("RMSprop", 1, MEAN),
    "rmsprop-momentum": torch("RMSprop(momentum=…)", 2, f"{MEAN} and a velocity"),
    "rmsprop-centered": torch("RMSprop(centered=True)", 2, f"{MEAN} and a mean"),
    "rmsprop-centered-momentum": torch(
        "RMSprop(centered=True, momentum=…)", 3, f"{MEAN}, a mean and a velocity"
    ),
    "rprop": torch("Rprop", 2, "the gradient before and the length of a step"),
    "asgd": torch("ASGD", 1, "a mean of the weight", 3),
    "adafactor": torch("Adafactor", 0, BY_ROWS, form="factored"),
    "adafactor-fp32": Optimizer(
        0, 0, f"{BY_ROWS}, in fp32", TRANSFORMERS, 1, "factored", factors_wide=True
    ),
    "adafactor-fp32-momentum": Optimizer(
        0, 1, f"a first moment, and {BY_ROWS}, in fp32", f"{TRANSFORMERS}, beta1", 1, "factored",
        factors_wide=True,
    ),
    "muon": torch(
        "Muon, with AdamW for the rest",
        1, "a velocity of each matrix that no rows are picked from, both moments of others",
        0, "matrices",
    ),
    "adam8bit": Optimizer(
        2, 0, "both moments in 8 bits, a scale in fp32 for each 256 elements of each; in fp32 of "
        "weights of less than 4,096 elements",
        "bitsandbytes.optim.Adam8bit, bitsandbytes 0.50.2", form="blocks",
    ),
    "adam-mixed": Optimizer(
        0, 3, "fp32 master weights and two fp32 moments",
        "Rajbhandari et al., ZeRO (2020), section 3.1",
    ),
    "adam-master": Optimizer(
        2, 1, "fp32 master weights and two moments of the weight's type",
        "DeepSeek-AI, DeepSeek-V3 Technical Report (2024), section 3.3.3",
    ),
}  # fmt: skip
BLOCK, LEAST = 256, 4096
"""Elements that share a scale where states are in blocks, and of how many these are at least."""
MAPS = 2 * 256 * 4
"""Bytes of the two tables of values in fp32 that all such weights share."""
USUAL = ("sgd", "momentum", "adam", "adam-mixed")
"""Those that pages of models show beside each other."""
