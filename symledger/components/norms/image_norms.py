"""Normalization by channel: over a batch, or over the channels of a group; images and volumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.norms.norms import EPSILON
from symledger.ir.region import Values
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import apply, mean, param, reduce, statistic, table, view
from symledger.sizes import Size

AXES = {4: "h w", 5: "d h w"}
"""The axes of positions, by the rank of a tensor."""
VOLUME = "B C D H W -> B C D H W"


def positions(x: Tensor) -> tuple[str, dict[str, Expr]]:
    """Return the axes of positions as they stand in patterns, and their lengths."""
    axes = AXES[x.rank]
    return axes, dict(zip(axes.split(), x.shape[2:], strict=True))


@dataclass(frozen=True)
class ChannelNorm(Component):
    """What norms by channel share: a factor g and a shift b for each channel, or neither.

    Without ``affine`` there is neither g nor b; without ``bias`` there is no b.
    """

    C: Expr = sizes.C

    def weights(self, affine: bool, bias: bool) -> dict[str, Tensor]:
        """Return the weights that there are."""
        names = "gb" if bias else "g"
        return {name: param(name, self.C) for name in names} if affine else {}


def scaled(n: Tensor, weights: Mapping[str, Tensor], column: str) -> Tensor:
    """Scale by g and shift by b, one of each a channel, where there are such weights."""
    y = n * view(column, weights["g"]) if "g" in weights else n
    return y + view(column, weights["b"]) if "b" in weights else y


@dataclass(frozen=True)
class BatchNorm(ChannelNorm):
    """Centre each channel, divide by its standard deviation, then scale by g and shift by b.

    While training both are taken over the batch and the image: fused, kept are the input and two
    statistics a channel. Afterwards they are running averages, which are neither parameters nor
    activations; here they have the values that they start with.
    Source: Ioffe, Szegedy, *Batch Normalization* (2015), algorithms 1 and 2, section 3.2.
    """

    training: bool = True
    affine: bool = True
    bias: bool = True

    centre: ClassVar[Expr] = Integer(0)
    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "each channel centred and scaled, over the batch and the image"
    references: ClassVar[tuple[str, ...]] = (
        "Ioffe, Szegedy, Batch Normalization (2015), algorithms 1 and 2, section 3.2",
    )

    def forward(self, x: Tensor) -> Steps:
        weights, rows = self.weights(self.affine, self.bias), self.rows(x)
        if self.training:
            mu = statistic(mean(rows))
            r = statistic(apply("rsqrt", mean(apply("square", rows - mu)) + EPSILON))
        else:
            mu = table("running_mean", lambda c, one: self.centre, self.C, ONE)
            r = self.running()
        y = scaled((rows - mu) * r, weights, "c -> c ()")
        return steps(**weights, mu=mu, r=r, y=self.image(y, x))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g.

        Running averages do not depend on x: then dx = r u.
        """
        rows, r = self.rows(dy), at.r if self.training else self.running()
        n = (self.rows(at.x) - at.mu) * r
        u = rows * view("c -> c ()", at.g) if self.affine else rows
        centred = u - mean(u) - n * mean(u * n) if self.training else u
        found = {"x": self.image(centred * r, dy)}
        if self.affine:
            found["g"] = reduce(rows * n, (1,))
        return {**found, "b": reduce(rows, (1,))} if self.affine and self.bias else found

    def rows(self, x: Tensor) -> Tensor:
        """One row for each channel."""
        axes, _ = positions(x)
        return view(f"b c {axes} -> c (b {axes})", x)

    def image(self, rows: Tensor, like: Tensor) -> Tensor:
        """Turn such rows back."""
        axes, lengths = positions(like)
        return view(f"c (b {axes}) -> b c {axes}", rows, b=like.shape[0], **lengths)

    def running(self) -> Tensor:
        """The reciprocal deviation of the running variance: a table, read again and not kept."""
        variance = table("running_variance", lambda c, one: ONE, self.C, ONE)
        return apply("rsqrt", variance + EPSILON)


@dataclass(frozen=True)
class BatchNorm3d(BatchNorm):
    """The same norm of volumes."""

    signature: ClassVar[str] = VOLUME
    title: ClassVar[str] = "each channel centred and scaled, over the batch and the volume"


@dataclass(frozen=True)
class GroupNorm(ChannelNorm):
    """Centre each group of channels of each image, scale it to unit variance, then by g and b.

    Fused: kept are the input and two statistics a group of an image. One group is a layer norm of
    the whole image, as many groups as channels are an instance norm.
    Source: Wu, He, *Group Normalization* (2018), equations 1, 2 and 7.
    """

    G: Expr = sizes.G
    affine: bool = True
    bias: bool = True

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "each group of channels of an image centred and scaled"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "one group (layer norm)": {sizes.G: 1}, "instance norm": {sizes.G: sizes.C},
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Wu, He, Group Normalization (2018), equations 1, 2 and 7",
    )

    def forward(self, x: Tensor) -> Steps:
        weights, rows = self.weights(self.affine, self.bias), self.grouped(x)
        mu = statistic(mean(rows))
        r = statistic(apply("rsqrt", mean(apply("square", rows - mu)) + EPSILON))
        y = scaled(self.image((rows - mu) * r, x), weights, self.column(x))
        return steps(**weights, mu=mu, r=r, y=y)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g."""
        n = (self.grouped(at.x) - at.mu) * at.r
        u = self.grouped(dy * view(self.column(dy), at.g) if self.affine else dy)
        found = {"x": self.image((u - mean(u) - n * mean(u * n)) * at.r, dy)}
        summed = (0, *range(2, dy.rank))
        if self.affine:
            found["g"] = reduce(dy * self.image(n, dy), summed)
        return {**found, "b": reduce(dy, summed)} if self.affine and self.bias else found

    def column(self, x: Tensor) -> str:
        """One number a channel, to stand beside images."""
        return "c -> c" + " ()" * (x.rank - 2)

    def grouped(self, x: Tensor) -> Tensor:
        """One row for each group of channels of each image."""
        axes, _ = positions(x)
        return view(f"b (g c) {axes} -> b g (c {axes})", x, g=self.G)

    def image(self, rows: Tensor, like: Tensor) -> Tensor:
        """Turn such rows back into images."""
        axes, lengths = positions(like)
        return view(f"b g (c {axes}) -> b (g c) {axes}", rows, **lengths)


@dataclass(frozen=True)
class GroupNorm3d(GroupNorm):
    """The same norm of volumes."""

    signature: ClassVar[str] = VOLUME
    title: ClassVar[str] = "each group of channels of a volume centred and scaled"
