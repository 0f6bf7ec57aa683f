"""Blocks of networks of images once more, as PyTorch's users write them."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812  # as everybody writes it

from symledger.checks.torch.case import Case
from symledger.checks.torch.modules.attention import DotProduct
from symledger.checks.torch.modules.feed_forward import GatedFeedForward
from symledger.checks.torch.parts import ACTIVATIONS, EPSILON, Options, Sizes

RECTIFIERS = {"none": nn.Identity, "relu": nn.ReLU, "relu6": nn.ReLU6, "silu": nn.SiLU}


class Unit(nn.Module):
    """A convolution, a batch norm, a nonlinearity."""

    def __init__(
        self, C_in: int, C_out: int, K: int, s: int = 1, G: int = 1, act: str = "none"
    ) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(C_in, C_out, K, s, K // 2, groups=G, bias=False)
        self.norm = nn.BatchNorm2d(C_out, EPSILON)
        self.act = RECTIFIERS[act]()

    def forward(self, x: Tensor) -> Tensor:
        """Apply all three."""
        return self.act(self.norm(self.convolution(x)))


class Residual(nn.Module):
    """Two convolutions of 3 × 3, or one between two pointwise ones, beside a projected image."""

    def __init__(self, s: Sizes, o: Options, narrow: bool) -> None:
        super().__init__()
        C_in, C_out = s["C_in"], s["C_out"]
        if narrow:
            C, first = s["C"], s["s"] if o["early"] else 1
            self.narrow = Unit(C_in, C, 1, first, act="relu")
            self.conv = Unit(C, C, 3, s["s"] // first, s["G"], act="relu")
            self.widen = Unit(C, C_out, 1)
            parts = [self.narrow, self.conv, self.widen]
        else:
            self.conv_1 = Unit(C_in, C_out, 3, s["s"], act="relu")
            self.conv_2 = Unit(C_out, C_out, 3)
            parts = [self.conv_1, self.conv_2]
        self.shortcut = Unit(C_in, C_out, 1, s["s"])
        self.parts = tuple(parts)

    def forward(self, x: Tensor) -> Tensor:
        """Add both ways, then rectify."""
        y = x
        for part in self.parts:
            y = part(y)
        return torch.relu(y + self.shortcut(x))


class SqueezeExcitation(nn.Module):
    """Every channel scaled by what the means of all channels say."""

    def __init__(self, C: int, C_s: int) -> None:
        super().__init__()
        self.squeeze, self.excite = nn.Linear(C, C_s), nn.Linear(C_s, C)

    def forward(self, x: Tensor) -> Tensor:
        """Scale the channels."""
        a = torch.sigmoid(self.excite(F.silu(self.squeeze(x.mean((2, 3))))))
        return x * a[:, :, None, None]


class Inverted(nn.Module):
    """Widen, convolve each channel, narrow."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        C, act = s["C_in"], o["activation"]
        if o["expanded"]:
            self.expand = Unit(C, s["t"] * C, 1, act=act)
            C *= s["t"]
        self.depthwise = Unit(C, C, s["K"], s["s"], C, act)
        if o["squeezed"]:
            self.squeeze_excitation = SqueezeExcitation(C, s["C_in"] // 4)
        self.narrow = Unit(C, s["C_out"], 1)

    def forward(self, x: Tensor) -> Tensor:
        """Apply all parts."""
        for part in self.children():
            x = part(x)
        return x


class Patches(nn.Module):
    """A vector for each patch."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(s["C_in"], s["d"], s["P"], s["P"], bias=o["bias"])

    def forward(self, x: Tensor) -> Tensor:
        """Map the patches."""
        return self.convolution(x).flatten(2).transpose(1, 2)


class Embedded(nn.Module):
    """The vectors of patches after one more, and positions added."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.patches = Patches(s, o)
        self.c = nn.Parameter(torch.randn(s["d"]))
        T = (s["H"] // s["P"]) * (s["W"] // s["P"]) + 1
        self.positions = nn.ParameterDict({"P": nn.Parameter(torch.randn(T, s["d"]))})

    def forward(self, x: Tensor) -> Tensor:
        """Embed an image."""
        y = self.patches(x)
        first = self.c.expand(len(y), 1, -1)
        return torch.cat((first, y), 1) + self.positions["P"]


class ConvNeXtBlock(nn.Module):
    """A depthwise convolution, a norm, a network at every place, a factor a channel."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        C = s["C"]
        self.depthwise = nn.Conv2d(C, C, 7, padding=3, groups=C)
        self.norm = nn.LayerNorm(C, EPSILON)
        self.network = nn.ModuleDict({"1": nn.Linear(C, 4 * C), "2": nn.Linear(4 * C, C)})
        self.act = ACTIVATIONS[o["activation"]]
        self.g = nn.Parameter(torch.randn(C)) if o["scaled"] else None

    def forward(self, x: Tensor) -> Tensor:
        """Add what is computed."""
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.network["2"](self.act(self.network["1"](y)))
        y = y if self.g is None else self.g * y
        return x + y.permute(0, 3, 1, 2)


class StepResidual(nn.Module):
    """Two convolutions after group norms, the step added between."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        C_in, C_out, G = s["C_in"], s["C_out"], s["G"]
        self.norm_1, self.norm_2 = (nn.GroupNorm(G, C, EPSILON) for C in (C_in, C_out))
        self.conv_1 = nn.Conv2d(C_in, C_out, 3, padding=1)
        self.conv_2 = nn.Conv2d(C_out, C_out, 3, padding=1)
        self.step, self.shortcut = nn.Linear(s["d"], C_out), nn.Conv2d(C_in, C_out, 1)

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        """Add what is computed."""
        u = self.conv_1(F.silu(self.norm_1(x))) + self.step(F.silu(step))[:, :, None, None]
        return self.shortcut(x) + self.conv_2(F.silu(self.norm_2(u)))


class Reading(nn.Module):
    """Attention to what may be of another width; only the last map has a bias."""

    def __init__(self, d: int, h: int, d_key: int, s: Sizes) -> None:
        super().__init__()
        self.h, self.core = h, DotProduct(s, {})
        self.Q = nn.Linear(d, d, bias=False)
        self.K, self.V = (nn.Linear(d_key, d, bias=False) for _ in range(2))
        self.O = nn.Linear(d, d)

    def forward(self, x: Tensor, source: Tensor) -> Tensor:
        """Mix what the source says."""
        q, k, v = (
            f(y).unflatten(-1, (self.h, -1))
            for f, y in ((self.Q, x), (self.K, source), (self.V, source))
        )
        return self.O(self.core(q, k, v).flatten(-2))


class Spatial(nn.Module):
    """A transformer block over the places of an image that reads a text."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        C, h = s["C"], s["h"]
        self.norm = nn.GroupNorm(s["G"], C, EPSILON)
        self.enter, self.leave = nn.Conv2d(C, C, 1), nn.Conv2d(C, C, 1)
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(C, EPSILON) for _ in range(3))
        self.attention = Reading(C, h, C, s)
        self.cross_attention = Reading(C, h, s["d_ctx"], s)
        wide = {"d": C, "d_ff": 4 * C}
        self.feed_forward = GatedFeedForward(wide, {"activation": "gelu", "bias": True})

    def forward(self, x: Tensor, text: Tensor) -> Tensor:
        """Add what is computed."""
        t = self.enter(self.norm(x)).flatten(2).transpose(1, 2)
        n = self.norm_1(t)
        t = t + self.attention(n, n)
        t = t + self.cross_attention(self.norm_2(t), text)
        t = t + self.feed_forward(self.norm_3(t))
        return x + self.leave(t.transpose(1, 2).unflatten(2, x.shape[2:]))


class Merging(nn.Module):
    """The vectors of each square of patches as one: beside each other, or their mean."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.g, self.H, self.W, self.averaged = s["g"], s["H_g"], s["W_g"], o["averaged"]

    def forward(self, x: Tensor) -> Tensor:
        """Cut the image of vectors into squares."""
        image = x.unflatten(1, (self.H * self.g, self.W * self.g))
        squares = image.unfold(1, self.g, self.g).unfold(2, self.g, self.g).flatten(1, 2)
        if self.averaged:
            return squares.mean((-1, -2))
        return squares.permute(0, 1, 3, 4, 2).flatten(2)


class Projected(nn.Module):
    """Two maps, and a third that multiplies where it is gated."""

    def __init__(self, s: Sizes, o: Options) -> None:
        super().__init__()
        self.add_module("1", nn.Linear(s["d_in"], s["d_ff"], o["bias"]))
        self.add_module("2", nn.Linear(s["d_ff"], s["d_out"], o["bias"]))
        self.up = nn.Linear(s["d_in"], s["d_ff"], o["bias"]) if o["gated"] else None
        self.act = ACTIVATIONS[o["activation"]]

    def forward(self, x: Tensor) -> Tensor:
        """Widen, act, multiply, map to the other width."""
        a = self.act(self.get_submodule("1")(x))
        return self.get_submodule("2")(a if self.up is None else a * self.up(x))


CASES: Mapping[str, tuple[Case, ...]] = {
    "convolution_unit": (Case(
        "the unit written with torch.nn",
        lambda s, o: Unit(s["C_in"], s["C_out"], s["K"], s["s"], s["G"], o["activation"]),
        uses=lambda o: {"groups": "2*(G - 1)*B*C_in*C_out/G*K*K*H_o*W_o"}, equal={"K": "3"}),),
    "basic_block": (Case("the block written with torch.nn",
                         lambda s, o: Residual(s, o, narrow=False)),),
    "bottleneck": (Case(
        "the block written with torch.nn", lambda s, o: Residual(s, o, narrow=True),
        uses=lambda o: {"groups": "2*(G - 1)*B*C*C/G*9*H_o*W_o"}, equal={"C": "2*G"}),),
    "squeeze_excitation": (Case("the block written with torch.nn",
                                lambda s, o: SqueezeExcitation(s["C"], s["C_s"])),),
    "inverted_residual": (Case(
        "the block written with torch.nn", Inverted,
        uses=lambda o: {"groups": "2*({0} - 1)*B*{0}*K*K*H_o*W_o".format(
            "t*C_in" if o["expanded"] else "C_in")},
        equal={"K": "3", "C_in": "4*s_h"}),),
    "patch_embedding": (Case("nn.Conv2d", Patches, equal={"H": "3*P", "W": "4*P"}),),
    "image_embedding": (Case("the embedding written with torch.nn", Embedded,
                             equal={"H": "3*P", "W": "4*P"}),),
    "patch_merging": (Case("squares unfolded with torch", Merging),),
    "projector": (Case("the maps written with torch.nn", Projected),),
    "convnext_block": (Case(
        "the block written with torch.nn", ConvNeXtBlock,
        uses=lambda o: {"groups": "2*(C - 1)*B*C*49*H*W"}),),
    "step_residual": (Case("the block written with torch.nn", StepResidual,
                           equal={"C_in": "2*G", "C_out": "3*G"}),),
    "spatial_transformer": (Case("the block written with torch.nn", Spatial,
                                 equal={"C": "h*G"}),),
}  # fmt: skip
