"""Components, a topic a folder, one concept a file: definitions that know no costs.

The names here are public: what models of one's own are built of. Every other module may move.

>>> from symledger.components import Linear
>>> Linear.__name__
'Linear'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symledger.components.attention.attention import Attention as Attention
    from symledger.components.attention.dot_product import ScaledDotProduct as ScaledDotProduct
    from symledger.components.attention.flash import FlashAttention as FlashAttention
    from symledger.components.attention.latent import LatentAttention as LatentAttention
    from symledger.components.attention.relative import ALiBiAttention as ALiBiAttention
    from symledger.components.attention.relative import RelativeAttention as RelativeAttention
    from symledger.components.attention.relative import WindowAttention as WindowAttention
    from symledger.components.attention.sourced import SourcedAttention as SourcedAttention
    from symledger.components.blocks.blocks import ParallelBlock as ParallelBlock
    from symledger.components.blocks.blocks import PostLNBlock as PostLNBlock
    from symledger.components.blocks.blocks import PreLNBlock as PreLNBlock
    from symledger.components.blocks.blocks import ReorderedBlock as ReorderedBlock
    from symledger.components.blocks.blocks import SandwichBlock as SandwichBlock
    from symledger.components.blocks.checkpointed import CheckpointedBlock as CheckpointedBlock
    from symledger.components.blocks.decoder import EncoderDecoder as EncoderDecoder
    from symledger.components.blocks.decoder import PostLNDecoder as PostLNDecoder
    from symledger.components.blocks.decoder import PreLNDecoder as PreLNDecoder
    from symledger.components.blocks.encoder import PostLNEncoder as PostLNEncoder
    from symledger.components.blocks.encoder import PreLNEncoder as PreLNEncoder
    from symledger.components.convolution.adaptive import AdaptiveAvgPool2d as AdaptiveAvgPool2d
    from symledger.components.convolution.convolution import Conv1d as Conv1d
    from symledger.components.convolution.convolution import Conv2d as Conv2d
    from symledger.components.convolution.convolution import Conv3d as Conv3d
    from symledger.components.convolution.pooling import AvgPool1d as AvgPool1d
    from symledger.components.convolution.pooling import AvgPool2d as AvgPool2d
    from symledger.components.convolution.pooling import AvgPool3d as AvgPool3d
    from symledger.components.convolution.pooling import MaxPool1d as MaxPool1d
    from symledger.components.convolution.pooling import MaxPool2d as MaxPool2d
    from symledger.components.convolution.pooling import MaxPool3d as MaxPool3d
    from symledger.components.convolution.transposed import ConvTranspose1d as ConvTranspose1d
    from symledger.components.convolution.transposed import ConvTranspose2d as ConvTranspose2d
    from symledger.components.convolution.transposed import ConvTranspose3d as ConvTranspose3d
    from symledger.components.embeddings.embedding import LMHead as LMHead
    from symledger.components.embeddings.embedding import TiedEmbedding as TiedEmbedding
    from symledger.components.embeddings.embedding import TokenEmbedding as TokenEmbedding
    from symledger.components.embeddings.positions import LearnedPositions as LearnedPositions
    from symledger.components.embeddings.positions import SinusoidalPositions as SinusoidalPositions
    from symledger.components.embeddings.rotary import RotaryPositions as RotaryPositions
    from symledger.components.feed_forward.activation import GLU as GLU
    from symledger.components.feed_forward.activation import Activation as Activation
    from symledger.components.feed_forward.activation import PReLU as PReLU
    from symledger.components.feed_forward.experts import Experts as Experts
    from symledger.components.feed_forward.experts import MixtureOfExperts as MixtureOfExperts
    from symledger.components.feed_forward.experts import Router as Router
    from symledger.components.feed_forward.feed_forward import FeedForward as FeedForward
    from symledger.components.feed_forward.feed_forward import GatedFeedForward as GatedFeedForward
    from symledger.components.heads_and_losses.dropout import Dropout as Dropout
    from symledger.components.heads_and_losses.heads import MaskedLMHead as MaskedLMHead
    from symledger.components.heads_and_losses.heads import Pooler as Pooler
    from symledger.components.heads_and_losses.log_softmax import LogSoftmax as LogSoftmax
    from symledger.components.heads_and_losses.losses import CrossEntropy as CrossEntropy
    from symledger.components.heads_and_losses.losses import ElementwiseLoss as ElementwiseLoss
    from symledger.components.heads_and_losses.losses import (
        NegativeLogLikelihood as NegativeLogLikelihood,
    )
    from symledger.components.heads_and_losses.softmax import Softmax as Softmax
    from symledger.components.image_blocks.convnext import ConvNeXtBlock as ConvNeXtBlock
    from symledger.components.image_blocks.inverted import InvertedResidual as InvertedResidual
    from symledger.components.image_blocks.inverted import SqueezeExcitation as SqueezeExcitation
    from symledger.components.image_blocks.patches import ImageEmbedding as ImageEmbedding
    from symledger.components.image_blocks.patches import PatchEmbedding as PatchEmbedding
    from symledger.components.image_blocks.residual import BasicBlock as BasicBlock
    from symledger.components.image_blocks.residual import Bottleneck as Bottleneck
    from symledger.components.image_blocks.units import ConvolutionUnit as ConvolutionUnit
    from symledger.components.layout.shapes import Flatten as Flatten
    from symledger.components.layout.shapes import Identity as Identity
    from symledger.components.layout.shapes import PixelShuffle as PixelShuffle
    from symledger.components.layout.shapes import Upsample as Upsample
    from symledger.components.maps.bilinear import Bilinear as Bilinear
    from symledger.components.maps.linear import Linear as Linear
    from symledger.components.maps.lora import LoRALinear as LoRALinear
    from symledger.components.norms.image_norms import BatchNorm as BatchNorm
    from symledger.components.norms.image_norms import GroupNorm as GroupNorm
    from symledger.components.norms.norms import LayerNorm as LayerNorm
    from symledger.components.norms.norms import RMSNorm as RMSNorm
    from symledger.components.norms.response import LocalResponseNorm as LocalResponseNorm
    from symledger.components.recurrence.recurrent import GRU as GRU
    from symledger.components.recurrence.recurrent import LSTM as LSTM
    from symledger.components.recurrence.recurrent import RNN as RNN
    from symledger.components.state_spaces.dual import Mamba2Mixer as Mamba2Mixer
    from symledger.components.state_spaces.dual import StateSpaceDual as StateSpaceDual
    from symledger.components.state_spaces.selective import MambaMixer as MambaMixer
    from symledger.components.state_spaces.selective import SelectiveScan as SelectiveScan

_NAMES = {
    "attention.attention": ("Attention",),
    "attention.dot_product": ("ScaledDotProduct",),
    "attention.flash": ("FlashAttention",),
    "attention.latent": ("LatentAttention",),
    "attention.relative": ("ALiBiAttention", "RelativeAttention", "WindowAttention"),
    "attention.sourced": ("SourcedAttention",),
    "blocks.blocks": (
        "PreLNBlock", "PostLNBlock", "ParallelBlock", "SandwichBlock", "ReorderedBlock",
    ),
    "blocks.checkpointed": ("CheckpointedBlock",),
    "blocks.decoder": ("PreLNDecoder", "PostLNDecoder", "EncoderDecoder"),
    "blocks.encoder": ("PreLNEncoder", "PostLNEncoder"),
    "convolution.adaptive": ("AdaptiveAvgPool2d",),
    "convolution.convolution": ("Conv1d", "Conv2d", "Conv3d"),
    "convolution.pooling": (
        "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
    ),
    "convolution.transposed": ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
    "embeddings.embedding": ("TokenEmbedding", "TiedEmbedding", "LMHead"),
    "embeddings.positions": ("LearnedPositions", "SinusoidalPositions"),
    "embeddings.rotary": ("RotaryPositions",),
    "feed_forward.activation": ("Activation", "GLU", "PReLU"),
    "feed_forward.experts": ("Experts", "Router", "MixtureOfExperts"),
    "feed_forward.feed_forward": ("FeedForward", "GatedFeedForward"),
    "heads_and_losses.dropout": ("Dropout",),
    "heads_and_losses.heads": ("MaskedLMHead", "Pooler"),
    "heads_and_losses.log_softmax": ("LogSoftmax",),
    "heads_and_losses.losses": ("CrossEntropy", "NegativeLogLikelihood", "ElementwiseLoss"),
    "heads_and_losses.softmax": ("Softmax",),
    "image_blocks.convnext": ("ConvNeXtBlock",),
    "image_blocks.inverted": ("SqueezeExcitation", "InvertedResidual"),
    "image_blocks.patches": ("PatchEmbedding", "ImageEmbedding"),
    "image_blocks.residual": ("BasicBlock", "Bottleneck"),
    "image_blocks.units": ("ConvolutionUnit",),
    "layout.shapes": ("Identity", "Flatten", "PixelShuffle", "Upsample"),
    "maps.bilinear": ("Bilinear",),
    "maps.linear": ("Linear",),
    "maps.lora": ("LoRALinear",),
    "norms.image_norms": ("BatchNorm", "GroupNorm"),
    "norms.norms": ("LayerNorm", "RMSNorm"),
    "norms.response": ("LocalResponseNorm",),
    "recurrence.recurrent": ("RNN", "GRU", "LSTM"),
    "state_spaces.dual": ("StateSpaceDual", "Mamba2Mixer"),
    "state_spaces.selective": ("SelectiveScan", "MambaMixer"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}
__all__ = [
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "ALiBiAttention",
    "Activation",
    "AdaptiveAvgPool2d",
    "Attention",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BasicBlock",
    "BatchNorm",
    "Bilinear",
    "Bottleneck",
    "CheckpointedBlock",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvNeXtBlock",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "ConvolutionUnit",
    "CrossEntropy",
    "Dropout",
    "ElementwiseLoss",
    "EncoderDecoder",
    "Experts",
    "FeedForward",
    "FlashAttention",
    "Flatten",
    "GatedFeedForward",
    "GroupNorm",
    "Identity",
    "ImageEmbedding",
    "InvertedResidual",
    "LMHead",
    "LatentAttention",
    "LayerNorm",
    "LearnedPositions",
    "Linear",
    "LoRALinear",
    "LocalResponseNorm",
    "LogSoftmax",
    "Mamba2Mixer",
    "MambaMixer",
    "MaskedLMHead",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MixtureOfExperts",
    "NegativeLogLikelihood",
    "PReLU",
    "ParallelBlock",
    "PatchEmbedding",
    "PixelShuffle",
    "Pooler",
    "PostLNBlock",
    "PostLNDecoder",
    "PostLNEncoder",
    "PreLNBlock",
    "PreLNDecoder",
    "PreLNEncoder",
    "RMSNorm",
    "RelativeAttention",
    "ReorderedBlock",
    "RotaryPositions",
    "Router",
    "SandwichBlock",
    "ScaledDotProduct",
    "SelectiveScan",
    "SinusoidalPositions",
    "Softmax",
    "SourcedAttention",
    "SqueezeExcitation",
    "StateSpaceDual",
    "TiedEmbedding",
    "TokenEmbedding",
    "Upsample",
    "WindowAttention",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a component when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'symledger.components' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"symledger.components.{_HOMES[name]}"), name)
