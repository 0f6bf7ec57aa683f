"""Normalization of images by channel: over a batch, or over the channels of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Integer

from symledger import sizes
from symledger.components.norms import EPSILON
from symledger.core.component import Component, Steps, steps
from symledger.core.fused import Values
from symledger.core.notation import apply, mean, param, reduce, statistic, table, view
from symledger.core.tensor import ONE, Tensor
from symledger.sizes import Size

ROWS, BACK = "b c h w -> c (b h w)", "c (b h w) -> b c h w"


def column(v: Tensor) -> Tensor:
    """One number a channel, to stand beside rows of a channel each."""
    return view("c -> c ()", v)


@dataclass(frozen=True)
class BatchNorm(Component):
    """Centre each channel, divide by its standard deviation, then scale by g and shift by b.

    While training both are taken over the batch and the image: fused, kept are the input and two
    statistics a channel. Afterwards they are running averages, which are neither parameters nor
    activations; here they have the values that they start with.
    Source: Ioffe, Szegedy, *Batch Normalization* (2015), algorithms 1 and 2, section 3.2.
    """

    C: Expr = sizes.C
    training: bool = True

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "each channel centred and scaled, over the batch and the image"
    references: ClassVar[tuple[str, ...]] = (
        "Ioffe, Szegedy, Batch Normalization (2015), algorithms 1 and 2, section 3.2",
    )

    def forward(self, x: Tensor) -> Steps:
        g, b = param("g", self.C), param("b", self.C)
        rows = view(ROWS, x)
        if self.training:
            mu = statistic(mean(rows))
            r = statistic(apply("rsqrt", mean(apply("square", rows - mu)) + EPSILON))
        else:
            mu = table("running_mean", lambda c, one: Integer(0), self.C, ONE)
            r = self.running()
        y = (rows - mu) * r * column(g) + column(b)
        B, _, H, W = x.shape
        return steps(g=g, b=b, mu=mu, r=r, y=view(BACK, y, b=B, h=H, w=W))

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g.

        Running averages do not depend on x: then dx = r u.
        """
        B, _, H, W = dy.shape
        dy, r = view(ROWS, dy), at.r if self.training else self.running()
        n, u = (view(ROWS, at.x) - at.mu) * r, dy * column(at.g)
        centred = u - mean(u) - n * mean(u * n) if self.training else u
        dx = view(BACK, centred * r, b=B, h=H, w=W)
        return {"x": dx, "g": reduce(dy * n, (1,)), "b": reduce(dy, (1,))}

    def running(self) -> Tensor:
        """The reciprocal deviation of the running variance: a table, read again and not kept."""
        variance = table("running_variance", lambda c, one: ONE, self.C, ONE)
        return apply("rsqrt", variance + EPSILON)


@dataclass(frozen=True)
class GroupNorm(Component):
    """Centre each group of channels of each image, scale it to unit variance, then by g and b.

    Fused: kept are the input and two statistics a group of an image. One group is a layer norm of
    the whole image, as many groups as channels are an instance norm.
    Source: Wu, He, *Group Normalization* (2018), equations 1, 2 and 7.
    """

    C: Expr = sizes.C
    G: Expr = sizes.G

    signature: ClassVar[str] = "B C H W -> B C H W"
    title: ClassVar[str] = "each group of channels of an image centred and scaled"
    corollaries: ClassVar[dict[str, dict[Size, Expr | int]]] = {
        "one group (layer norm)": {sizes.G: 1}, "instance norm": {sizes.G: sizes.C},
    }  # fmt: skip
    references: ClassVar[tuple[str, ...]] = (
        "Wu, He, Group Normalization (2018), equations 1, 2 and 7",
    )

    def forward(self, x: Tensor) -> Steps:
        g, b = param("g", self.C), param("b", self.C)
        rows = self.grouped(x)
        mu = statistic(mean(rows))
        r = statistic(apply("rsqrt", mean(apply("square", rows - mu)) + EPSILON))
        n = self.image((rows - mu) * r, x)
        y = n * view("c -> c () ()", g) + view("c -> c () ()", b)
        return steps(g=g, b=b, mu=mu, r=r, y=y)

    def pullback(self, at: Values, dy: Tensor) -> Mapping[str, Tensor]:
        """Send dy back: dx = r (u − mean(u) − n mean(u n)), with n the normalized x, u = dy g."""
        n = (self.grouped(at.x) - at.mu) * at.r
        u = self.grouped(dy * view("c -> c () ()", at.g))
        dx = (u - mean(u) - n * mean(u * n)) * at.r
        dg = reduce(dy * self.image(n, dy), (0, 2, 3))
        return {"x": self.image(dx, dy), "g": dg, "b": reduce(dy, (0, 2, 3))}

    def grouped(self, x: Tensor) -> Tensor:
        """One row for each group of channels of each image."""
        return view("b (g c) h w -> b g (c h w)", x, g=self.G)

    def image(self, rows: Tensor, like: Tensor) -> Tensor:
        """Turn such rows back into images."""
        _, _, H, W = like.shape
        return view("b g (c h w) -> b (g c) h w", rows, h=H, w=W)
