"""Every family that can be read, in editorial order: one concept a file, one row a model_type."""

from __future__ import annotations

from symledger.configurations.families import (
    albert,
    bert,
    bloom,
    clip,
    convolutional,
    deberta,
    deepseek,
    distilbert,
    falcon,
    gemma,
    gpt2,
    gpt_neo,
    gpt_neox,
    gpt_oss,
    gptj,
    llama,
    mamba,
    mistral,
    mixtral,
    mobilenet,
    mpt,
    olmo2,
    opt,
    phi,
    phi3,
    qwen,
    seq2seq,
    stablelm,
    starcoder,
    vit,
)
from symledger.configurations.family import Family

FAMILIES: tuple[Family, ...] = (
    gpt2.GPT2, gptj.GPTJ, gpt_neox.GPT_NEOX, opt.OPT, bloom.BLOOM, falcon.FALCON, phi.PHI,
    gpt_neo.GPT_NEO, gptj.CODEGEN, starcoder.GPT_BIGCODE, starcoder.STARCODER2, mpt.MPT,
    stablelm.STABLELM, stablelm.COHERE,
    llama.LLAMA, mistral.MISTRAL, mixtral.MIXTRAL,
    qwen.QWEN2, qwen.QWEN3, qwen.QWEN2_MOE, qwen.QWEN3_MOE,
    gemma.GEMMA, gemma.GEMMA2, gemma.GEMMA3, phi3.PHI3, olmo2.OLMO2,
    *deepseek.FAMILIES, gpt_oss.GPT_OSS, *mamba.FAMILIES,
    bert.BERT, bert.ROBERTA, bert.XLM_ROBERTA, bert.CAMEMBERT, distilbert.DISTILBERT,
    albert.ALBERT, albert.ELECTRA, deberta.DEBERTA,
    seq2seq.T5, seq2seq.MT5, seq2seq.BART, seq2seq.MBART, seq2seq.WHISPER,
    vit.VIT, clip.CLIP, clip.TEXT, clip.IMAGE, convolutional.RESNET, convolutional.CONVNEXT,
    mobilenet.MOBILENET_V2,
)  # fmt: skip
