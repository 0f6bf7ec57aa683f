"""Decoders that hear: Whisper's encoder, a projector, and Qwen2 or LLaMA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.embeddings.rotary import RotaryPositions
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.qwen2.model import Qwen2
from symledger.models.shared.listening import Answer, Listening
from symledger.models.whisper.model import Whisper
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, mean, narrow, view
from symledger.sizes import Size


@dataclass(frozen=True)
class SoundTower(Component):
    """Whisper's encoder of a spectrum, whose vectors may be ``averaged`` in pairs before its norm.

    Source: Radford et al., *Whisper* (2022), section 2.2; Chu et al., *Qwen2-Audio Technical
    Report* (2024), section 2, for the averages.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    f_snd: Expr = sizes.f_snd
    S_snd: Expr = sizes.S_snd
    averaged: bool = True
    sound_activation: Plain = "gelu"

    title: ClassVar[str] = "Whisper's encoder of a spectrum, which decoders that hear have"
    assumptions: ClassVar[dict[Size, Expr]] = {sizes.f_snd: 4 * sizes.d_snd}
    references: ClassVar[tuple[str, ...]] = Whisper.references

    @property
    def signature(self) -> str:  # type: ignore[override]  # half as many where they are averaged
        """The type line."""
        return f"B C frames -> B {'heard' if self.averaged else 'S_snd'} d_snd"

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return 2 * self.S_snd

    @property
    def heard(self) -> Expr:
        """How many vectors are left."""
        return self.S_snd / 2

    def forward(self, spectrum: Tensor) -> Steps:
        whole = Whisper(
            C=self.C, d=self.d_snd, L_enc=self.L_snd, h=self.h_snd, d_h=self.d_snd / self.h_snd,
            d_ff=self.f_snd, S=self.S_snd, activation=self.sound_activation,
        )  # fmt: skip
        x = whole.stack(whole.encoder_block(), self.L_snd, "encoder", whole.see(spectrum))
        if self.averaged:
            pairs = mean(view("b (t two) d -> b t d two", x, two=2))
            x = view("b t d one -> b t (d one)", pairs)
        return steps(y=LayerNorm(self.d_snd)(x, name="norm"))


@dataclass(frozen=True)
class Hearing(Listening):
    """A decoder that hears by Whisper's encoder, spectra of 2 S_snd frames.

    Source: Chu et al., *Qwen2-Audio Technical Report* (2024), section 2.
    """

    S_snd: Expr = sizes.S_snd

    averaged: ClassVar[bool] = True

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return 2 * self.S_snd

    @property
    def sound_act(self) -> Plain:
        """What the encoder acts by."""
        return "gelu"

    def ear(self) -> Component:
        return SoundTower(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.f_snd, self.S_snd, self.averaged,
            self.sound_act,
        )  # fmt: skip


ASSUMED: Mapping[Size, Expr] = {sizes.f_snd: 4 * sizes.d_snd}


@dataclass(frozen=True)
class Qwen2Audio(Qwen2, Hearing):
    """Qwen2 with sounds: Whisper's encoder, averages of pairs, one map.

    Source: Chu et al., *Qwen2-Audio Technical Report* (2024), section 2, and its implementation.
    """

    head: Answer = "lm"
    tied: Literal[False] = False
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    windows: Literal["none"] = "none"
    sound_activation: Plain = "gelu"

    title: ClassVar[str] = "Qwen2 with sounds: Whisper's encoder, one map, a decoder"
    assumptions: ClassVar[dict[Size, Expr]] = {**Qwen2.assumptions, **ASSUMED}
    references: ClassVar[tuple[str, ...]] = (
        "Chu et al., Qwen2-Audio Technical Report (2024), section 2",
    )

    @property
    def sound_act(self) -> Plain:
        return self.sound_activation

    def project(self, heard: Tensor) -> Tensor:
        return Linear(self.d_snd, self.d)(heard, name="projector")


@dataclass(frozen=True)
class AudioFlamingo3(Qwen2Audio):
    """Qwen2-Audio with two maps between the encoder and the decoder.

    Source: Goel et al., *Audio Flamingo 3* (2025), and its implementation.
    """

    projector_activation: Plain = "gelu"
    projector_bias: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "Qwen2 with sounds: Whisper's encoder, two maps, a decoder"
    references: ClassVar[tuple[str, ...]] = ("Goel et al., Audio Flamingo 3 (2025)",)

    def project(self, heard: Tensor) -> Tensor:
        projector = Projector(
            self.d_snd, self.d, self.d, self.projector_activation, self.projector_bias
        )
        return projector(heard, name="projector")


@dataclass(frozen=True)
class MusicFlamingo(AudioFlamingo3):
    """Audio Flamingo 3 that is told when a sound was heard: its vectors are turned by their time.

    Of each d_rot elements are turned, half of them by the window that was heard and half by the
    place in it, which counts what turning by one position counts.
    Source: transformers 5.23, ``MusicFlamingoModel``.
    """

    d_rot: Expr = sizes.d_rot
    partly: Annotated[bool, Seldom()] = True

    title: ClassVar[str] = "Qwen2 with sounds told their times: Whisper's encoder, two maps"
    references: ClassVar[tuple[str, ...]] = ("transformers 5.23, MusicFlamingoModel",)

    def project(self, heard: Tensor) -> Tensor:
        d_rot = self.d_rot if self.partly else self.d_snd
        alone = view("b t d -> b t () d", heard)
        turned = RotaryPositions(d_rot)(narrow(alone, -1, 0, d_rot), name="times")
        rest = narrow(alone, -1, d_rot, self.d_snd - d_rot)
        whole = join([turned, rest]) if self.partly else turned
        return super().project(view("b t one d -> b t (one d)", whole))


@dataclass(frozen=True)
class Voxtral(Llama, Hearing):
    """LLaMA with sounds: Whisper's encoder, several vectors joined to one, two maps.

    As many are joined as make a vector f_snd wide.
    Source: Liu et al., *Voxtral* (2025), section 2, and its implementation.
    """

    head: Answer = "lm"
    tied: Literal[False] = False
    activation: Gating = "silu"
    flash: Annotated[bool, Seldom()] = False
    attention_bias: Annotated[bool, Seldom()] = False
    mlp_bias: Annotated[bool, Seldom()] = False
    sound_activation: Plain = "gelu"
    projector_activation: Plain = "gelu"

    averaged: ClassVar[bool] = False
    title: ClassVar[str] = "LLaMA with sounds: Whisper's encoder, two maps, a decoder"
    assumptions: ClassVar[dict[Size, Expr]] = {**Llama.assumptions, **ASSUMED}
    references: ClassVar[tuple[str, ...]] = ("Liu et al., Voxtral (2025), section 2",)

    @property
    def sound_act(self) -> Plain:
        return self.sound_activation

    def project(self, heard: Tensor) -> Tensor:
        joined = view("b (t f) -> b t f", view("b s d -> b (s d)", heard), f=self.f_snd)
        projector = Projector(self.f_snd, self.d, self.d, self.projector_activation, False)
        return projector(joined, name="projector")
