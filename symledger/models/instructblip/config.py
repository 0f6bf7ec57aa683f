"""InstructBLIP: BLIP-2's parts, and a Q-Former that is told what is asked."""

from __future__ import annotations

from dataclasses import replace

from symledger.config_keys.decoder_keys import DENSE, TIED
from symledger.config_keys.family import Built, Family
from symledger.config_keys.seeing_keys import decoding
from symledger.models.blip2 import config as blip2
from symledger.models.llama.config import LLAMA
from symledger.models.opt.config import OPT

LLAMA_TEXT = replace(decoding(LLAMA), uses={**LLAMA.uses, "tie_word_embeddings": TIED})


def _instructed(model_type: str, name: str, vision: Family, qformer: Family) -> Family:
    """Return a model whose queries are told what is asked, with OPT, or LLaMA if it says so."""

    def built(entry: str) -> dict[str, Built]:
        return {
            f"{name}ForConditionalGeneration": Built(entry, {"head": "lm"}),
            f"{name}Model": Built(entry, {"head": "bare"}),
        }

    told = replace(blip2.part(qformer), implied={"T_ins": "32"})
    parts = blip2.inside(vision), told
    llama = blip2.whole(model_type, built("instructblip_llama"), LLAMA_TEXT, *parts, DENSE)
    plain = blip2.whole(model_type, built("instructblip"), blip2.OPT_TEXT, *parts, OPT.tensors)
    return replace(plain, kinds={("text_config.model_type", "llama"): llama})


INSTRUCT = _instructed(
    "instructblip", "InstructBlip", blip2.INSTRUCT_VISION, blip2.INSTRUCT_QFORMER
)
INSTRUCT_VIDEO = _instructed(
    "instructblipvideo", "InstructBlipVideo", blip2.VIDEO_VISION, blip2.VIDEO_QFORMER
)
