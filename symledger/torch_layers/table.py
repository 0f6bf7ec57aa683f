"""Every layer of torch.nn: a row of the table, or refused by name with what comes nearest.

To add a layer, add its row to ``symledger/layers``, and take it from the names below.
"""

from __future__ import annotations

from symledger.catalogue.entries import ENTRIES
from symledger.torch_layers.elements import ELEMENTS
from symledger.torch_layers.images import IMAGES
from symledger.torch_layers.layout import SHAPES
from symledger.torch_layers.row import REQUIRED, Layer
from symledger.torch_layers.sequences import SEQUENCES

__all__ = ["BY_NAME", "LAYERS", "NAMES", "REFUSED", "REQUIRED", "Layer", "meant_by", "said_instead"]

LAYERS: tuple[Layer, ...] = (*SEQUENCES, *IMAGES, *SHAPES, *ELEMENTS)
BY_NAME = {layer.name: layer for layer in LAYERS}

_INSTEAD = {
    "Linear": "AdaptiveLogSoftmaxWithLoss LazyLinear LinearCrossEntropyLoss",
    "Conv1d": "LazyConv1d", "Conv2d": "LazyConv2d", "Conv3d": "LazyConv3d",
    "ConvTranspose1d": "LazyConvTranspose1d", "ConvTranspose2d": "LazyConvTranspose2d",
    "ConvTranspose3d": "LazyConvTranspose3d",
    "AvgPool1d": "LPPool1d", "AvgPool2d": "LPPool2d", "AvgPool3d": "LPPool3d",
    "MaxPool1d": "MaxUnpool1d", "MaxPool2d": "FractionalMaxPool2d MaxUnpool2d",
    "MaxPool3d": "FractionalMaxPool3d MaxUnpool3d",
    "BatchNorm1d": "LazyBatchNorm1d", "BatchNorm2d": "LazyBatchNorm2d",
    "BatchNorm3d": "LazyBatchNorm3d", "InstanceNorm1d": "LazyInstanceNorm1d",
    "InstanceNorm2d": "LazyInstanceNorm2d", "InstanceNorm3d": "LazyInstanceNorm3d",
    "LocalResponseNorm": "CrossMapLRN2d",
    "RNN": "RNNBase", "RNNCell": "RNNCellBase",
    "TripletMarginLoss": "TripletMarginWithDistanceLoss",
    "MultiLabelSoftMarginLoss": "MultiLabelMarginLoss", "BCEWithLogitsLoss": "SoftMarginLoss",
    "CrossEntropyLoss": "CTCLoss", "NLLLoss": "NLLLoss2d",
    "": "Container DataParallel Module ModuleDict ModuleList ParameterDict ParameterList "
    "Sequential",
}  # fmt: skip
REFUSED = {name: nearest for nearest, names in _INSTEAD.items() for name in names.split()}
"""What torch.nn has beside the rows, and the layer that comes nearest; of what only holds others,
none does."""
NAMES = (*BY_NAME, *REFUSED)


def said_instead(name: str) -> str:
    """Say what to write in place of a layer that is refused."""
    if not REFUSED[name]:
        return (
            "Derive the layers that it holds one by one, or write a model of your own as in "
            "docs/own_model.md."
        )
    if name.startswith("Lazy"):
        return f"It learns a size from its first input: say that size, as in {REFUSED[name]}."
    return f"The nearest that it derives is {REFUSED[name]}."


def meant_by(word: str) -> list[str]:
    """Return the layers that people call so, or the components where more than a few layers are."""
    from symledger.catalogue import synonyms  # reads all texts: only a refusal does

    components = synonyms.meant_by(word, ENTRIES)
    found = [layer.name for layer in LAYERS if layer.entry in components]
    several = found if len(found) <= synonyms.MOST else []
    return several or [f"the component {component}" for component in components]
