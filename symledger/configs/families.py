"""Every family that can be read, in editorial order: one concept a file, one row a model_type.

A file is imported when one of its families is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from symledger.config_keys.family import Family

NAMED: Mapping[str, Mapping[str, str]] = {
    "model_type": {
        "openai-gpt": "gpt:GPT", "gpt2": "gpt2:GPT2", "gptj": "gptj:GPTJ",
        "gpt_neox": "gpt_neox:GPT_NEOX", "opt": "opt:OPT", "bloom": "bloom:BLOOM",
        "falcon": "falcon:FALCON", "phi": "phi:PHI", "gpt_neo": "gpt_neo:GPT_NEO",
        "codegen": "gptj:CODEGEN", "gpt_bigcode": "gpt_bigcode:GPT_BIGCODE",
        "starcoder2": "starcoder2:STARCODER2", "mpt": "mpt:MPT", "stablelm": "stablelm:STABLELM",
        "cohere": "cohere:COHERE", "llama": "llama:LLAMA", "mistral": "mistral:MISTRAL",
        "mixtral": "mixtral:MIXTRAL", "qwen2": "qwen2:QWEN2", "qwen3": "qwen3:QWEN3",
        "qwen2_moe": "qwen_moe:QWEN2_MOE", "qwen3_moe": "qwen_moe:QWEN3_MOE",
        "gemma": "gemma:GEMMA",
        "gemma2": "gemma:GEMMA2", "gemma3_text": "gemma:GEMMA3", "phi3": "phi3:PHI3",
        "olmo": "olmo:OLMO", "olmo2": "olmo:OLMO2", "olmo3": "olmo:OLMO3", "olmoe": "olmo:OLMOE",
        "ministral": "mistral:MINISTRAL", "ernie4_5": "llama:ERNIE",
        "hunyuan_v1_dense": "qwen3:HUNYUAN",
        "seed_oss": "seed_oss:SEED_OSS", "granite": "granite:GRANITE", "smollm3": "smollm3:SMOLLM3",
        "glm": "glm:GLM", "glm4": "glm:GLM4", "cohere2": "cohere:COHERE2",
        "deepseek_v2": "deepseek:DEEPSEEK_V2", "deepseek_v3": "deepseek:DEEPSEEK_V3",
        "kimi_k2": "deepseek:KIMI_K2", "gpt_oss": "gpt_oss:GPT_OSS",
        "granitemoe": "granite_moe:GRANITE_MOE", "phimoe": "phimoe:PHIMOE",
        "glm4_moe": "glm4_moe:GLM4_MOE", "mamba": "mamba:MAMBA",
        "falcon_mamba": "mamba:FALCON_MAMBA", "mamba2": "mamba2:MAMBA2", "bert": "bert:BERT",
        "roberta": "bert:ROBERTA", "xlm-roberta": "bert:XLM_ROBERTA", "camembert": "bert:CAMEMBERT",
        "distilbert": "distilbert:DISTILBERT", "albert": "albert:ALBERT",
        "electra": "electra:ELECTRA", "deberta-v2": "deberta:DEBERTA", "mpnet": "mpnet:MPNET",
        "modernbert": "modernbert:MODERNBERT",
        "t5": "t5:T5", "mt5": "t5:MT5", "bart": "bart:BART", "mbart": "bart:MBART",
        "pegasus": "pegasus:PEGASUS", "marian": "pegasus:MARIAN", "whisper": "whisper:WHISPER",
        "vit": "vit:VIT", "dinov2": "dinov2:DINOV2", "clip": "clip:CLIP",
        "clip_text_model": "clip:TEXT",
        "clip_vision_model": "clip:IMAGE", "siglip": "siglip:SIGLIP",
        "siglip_text_model": "siglip:TEXT", "siglip_vision_model": "siglip:IMAGE",
        "resnet": "resnet:RESNET",
        "convnext": "convnext:CONVNEXT", "mobilenet_v2": "mobilenet:MOBILENET_V2",
        "efficientnet": "efficientnet:EFFICIENTNET",
    },
    "_class_name": {
        "UNet2DConditionModel": "diffusion_unet:DIFFUSION_UNET",
        "DiTTransformer2DModel": "dit:DIT", "Transformer2DModel": "dit:OLDER",
    },
}  # fmt: skip
"""Where each family is defined, by the key that names it and by its name."""


@cache
def loaded(key: str, name: str) -> Family:
    """Return the family that a key of a configuration names."""
    module, _, constant = NAMED[key][name].partition(":")
    found: Family = getattr(import_module(f"symledger.models.{module}.config"), constant)
    return found


def every_family() -> tuple[Family, ...]:
    """Return every family, with those that a class builds for some values."""
    found = (loaded(key, name) for key, names in NAMED.items() for name in names)
    return tuple(kind for family in found for kind in (family, *family.kinds.values()))
