"""Decoders that hear: Whisper's encoder, a projector, and Qwen2 or LLaMA."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from sympy import Expr

from symledger import sizes
from symledger.components.feed_forward.nonlinearities import Gating, Plain, Seldom
from symledger.components.image_blocks.projectors import Projector
from symledger.components.maps.linear import Linear
from symledger.components.norms.norms import LayerNorm
from symledger.errors import DefinitionError
from symledger.ir.tensor import Tensor
from symledger.models.llama.model import Llama
from symledger.models.qwen2.model import Qwen2
from symledger.models.shared.decoder import LanguageModel
from symledger.models.whisper.model import Whisper
from symledger.notation.component import Component, Steps, steps
from symledger.notation.verbs import join, mean, narrow, param, view
from symledger.sizes import Size

Answer = Literal["lm", "bare"]
"""What is made of the hidden vectors: scores of the next token; nothing."""


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
class Hearing(LanguageModel):
    """A decoder, an encoder of sounds and a projector that leads from the one to the other.

    A sequence has T positions, words and sounds together. Each of its n_snd sounds, a spectrum of
    2 S_snd frames of C bands, fills some of them: there the vectors that the projector gives take
    the place of rows of the table, which are looked up all the same.
    Source: Chu et al., *Qwen2-Audio Technical Report* (2024), section 2.
    """

    C: Expr = sizes.C
    d_snd: Expr = sizes.d_snd
    L_snd: Expr = sizes.L_snd
    h_snd: Expr = sizes.h_snd
    f_snd: Expr = sizes.f_snd
    S_snd: Expr = sizes.S_snd
    n_snd: Expr = sizes.n_snd

    averaged: ClassVar[bool] = True
    signature: ClassVar[str] = "B T in V, B n_snd C frames -> B T out"
    whole: ClassVar[dict[str, str]] = {"tokens": "B T in V", "sounds": "B n_snd C frames"}

    @property
    def frames(self) -> Expr:
        """How many frames a spectrum has."""
        return 2 * self.S_snd

    @property
    def sound_act(self) -> Plain:
        """What the encoder acts by."""
        return "gelu"

    def project(self, heard: Tensor) -> Tensor:
        """Make vectors of the decoder's width of those that the tower gave."""
        raise DefinitionError(f"{type(self).__name__} has no projector: define it.")

    def listen(self, sounds: Tensor) -> Tensor:
        """Encode all sounds of all sequences, and project what was heard."""
        tower = SoundTower(
            self.C, self.d_snd, self.L_snd, self.h_snd, self.f_snd, self.S_snd, self.averaged,
            self.sound_act,
        )  # fmt: skip
        return self.project(tower(view("b n c t -> (b n) c t", sounds), name="tower"))

    def forward(self, tokens: Tensor, sounds: Tensor | None = None) -> Steps:
        """Embed words, hear sounds, and do with both what the decoder does with words."""
        E = param("E", self.V, self.row)
        x = self.embed(tokens, E)
        if sounds is None:
            return self.ended(x, E)
        heard = view("(b n) t d -> b (n t) d", self.listen(sounds), b=x.shape[0])
        rest = narrow(x, 1, heard.shape[1], x.shape[1] - heard.shape[1])
        return self.ended(join([heard, rest], axis=1), E)


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
