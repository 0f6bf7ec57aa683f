"""The catalogue: what can be derived by name, in editorial order.

An entry belongs to an owner, whose formulas it evaluates: ``gpt3-175b`` is ``gpt2`` at a
configuration. Definitions are imported when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from symledger.configurations.published import published
from symledger.errors import UnknownTarget, nearest, shown


@dataclass(frozen=True)
class Entry:
    """A name, the definition behind it, and how it is asked about.

    ``inputs`` are the axes of its inputs where they are not those of its signature;
    ``lengths`` the lengths of free axes, in the syntax of assumptions; ``options`` its choices;
    ``cases`` the named corollaries of the definition that are cases of this entry.
    """

    name: str
    definition: str
    kind: Literal["component", "model", "axiom"] = "component"
    owner: str = ""
    title: str = ""
    inputs: Mapping[str, str] | None = None
    lengths: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    cases: tuple[str, ...] = ()
    configured: bool = False

    def load(self) -> type[Any]:
        """Import the definition's class."""
        module, _, name = self.definition.partition(":")
        found: type[Any] = getattr(import_module(f"symledger.{module}"), name)
        return found

    @property
    def family(self) -> str:
        """The owner of this entry's formulas."""
        return self.owner or self.name

    def configuration(self) -> Mapping[str, int]:
        """The sizes that this entry was published with; empty for a component."""
        if not self.configured:
            return {}
        module = import_module(f"symledger.{self.definition.partition(':')[0]}")
        found: Mapping[str, int] = module.CONFIGURATIONS[self.name]
        return found


CROSS = {"x": "B T d", "memory": "B S d"}
GROUPED = ("multi-head", "multi-query")
SPARSE = (*GROUPED, "one expert a token", "dense")
CACHE = {"x": "B T d", "past_k": "B P h_kv d_k", "past_v": "B P h_kv d_v"}

ENTRIES: tuple[Entry, ...] = (
    Entry("linear", "components.linear:Linear", inputs={"x": "B d_in"}),
    Entry("bilinear", "components.bilinear:Bilinear", inputs={"x": "B d_1", "z": "B d_2"}),
    Entry("lora_linear", "components.lora:LoRALinear", inputs={"x": "B d_in"}, cases=("square",)),
    Entry("attention", "components.attention:Attention", inputs=CROSS,
          cases=("multi-head", "grouped", "multi-query", "cross-attention")),
    Entry("self_attention", "components.attention:Attention",
          title="attention of a sequence to itself",
          cases=("multi-head", "grouped", "multi-query")),
    Entry("cached_attention", "components.attention:Attention", inputs=CACHE,
          lengths={"P": "S - T"}, options={"causal": True}, cases=("decoding one token",),
          title="attention of T new tokens to S positions, S − T of them in a cache"),
    Entry("sourced_attention", "components.sourced:SourcedAttention"),
    Entry("dot_product_attention", "components.dot_product:ScaledDotProduct",
          cases=("multi-query", "decoding one token")),
    Entry("flash_attention", "components.flash:FlashAttention"),
    Entry("window_attention", "components.relative:WindowAttention",
          inputs={"q": "B T h d_k", "k": "B T h_kv d_k", "v": "B T h_kv d_v"}),
    Entry("alibi_attention", "components.relative:ALiBiAttention"),
    Entry("relative_attention", "components.relative:RelativeAttention"),
    Entry("latent_attention", "components.latent:LatentAttention", inputs={"x": "B T d"}),
    Entry("cached_latent_attention", "components.latent:LatentAttention",
          inputs={"x": "B T d", "past_c": "B P d_c", "past_r": "B P d_rot"},
          lengths={"P": "S - T"}, cases=("decoding one token",),
          title="latent attention of T new tokens to S positions, S − T of them remembered"),
    Entry("feed_forward", "components.feedforward:FeedForward"),
    Entry("gated_feed_forward", "components.feedforward:GatedFeedForward",
          cases=("as many weights as a plain network of width 4d",)),
    Entry("activation", "components.activation:Activation"),
    Entry("prelu", "components.activation:PReLU"),
    Entry("rrelu", "components.activation:RandomizedReLU"),
    Entry("glu", "components.activation:GLU"),
    Entry("experts", "components.experts:Experts"),
    Entry("router", "components.experts:Router"),
    Entry("mixture_of_experts", "components.experts:MixtureOfExperts",
          cases=("one expert a token", "dense")),
    Entry("layer_norm", "components.norms:LayerNorm"),
    Entry("rms_norm", "components.norms:RMSNorm"),
    Entry("composed_rms_norm", "components.norms:ComposedRMSNorm"),
    Entry("softmax", "components.softmax:Softmax"),
    Entry("log_softmax", "components.log_softmax:LogSoftmax"),
    Entry("softmin", "components.log_softmax:Softmin"),
    Entry("dropout", "components.dropout:Dropout"),
    Entry("alpha_dropout", "components.dropout_kinds:AlphaDropout"),
    Entry("channel_alpha_dropout", "components.dropout_kinds:ChannelAlphaDropout"),
    Entry("channel_dropout", "components.dropout_kinds:ChannelDropout"),
    Entry("rnn", "components.recurrent:RNN", cases=("input as wide as the state",)),
    Entry("gru", "components.recurrent:GRU", cases=("input as wide as the state",)),
    Entry("lstm", "components.recurrent:LSTM", cases=("input as wide as the state",)),
    Entry("causal_convolution", "components.selective:CausalConvolution"),
    Entry("selective_scan", "components.selective:SelectiveScan"),
    Entry("mamba_mixer", "components.selective:MambaMixer"),
    Entry("state_space_dual", "components.dual:StateSpaceDual"),
    Entry("mamba2_mixer", "components.dual:Mamba2Mixer"),
    Entry("rnn_cell", "components.recurrent_steps:RNNStep"),
    Entry("gru_cell", "components.recurrent_steps:GRUStep"),
    Entry("lstm_cell", "components.recurrent_steps:LSTMStep"),
    Entry("token_embedding", "components.embedding:TokenEmbedding"),
    Entry("embedding_bag", "components.embedding:EmbeddingBag"),
    Entry("learned_positions", "components.positions:LearnedPositions"),
    Entry("sinusoidal_positions", "components.positions:SinusoidalPositions"),
    Entry("rotary_positions", "components.rotary:RotaryPositions"),
    Entry("lm_head", "components.embedding:LMHead"),
    Entry("masked_lm_head", "components.heads:MaskedLMHead"),
    Entry("pooler", "components.heads:Pooler"),
    Entry("tied_embedding", "components.embedding:TiedEmbedding"),
    Entry("cross_entropy", "components.losses:CrossEntropy"),
    Entry("negative_log_likelihood", "components.losses:NegativeLogLikelihood"),
    Entry("elementwise_loss", "components.losses:ElementwiseLoss"),
    Entry("margin_ranking", "components.losses:MarginRanking"),
    Entry("pairwise_distance", "components.distances:PairwiseDistance"),
    Entry("cosine_similarity", "components.distances:CosineSimilarity"),
    Entry("triplet_margin", "components.distances:TripletMargin"),
    Entry("cosine_embedding", "components.distances:CosineEmbedding"),
    Entry("hinge_embedding", "components.distances:HingeEmbedding"),
    Entry("multi_margin", "components.distances:MultiMargin"),
    Entry("gaussian_nll", "components.distances:GaussianNLL"),
    Entry("multi_label_soft_margin", "components.distances:MultiLabelSoftMargin"),
    Entry("pre_ln_block", "components.blocks:PreLNBlock"),
    Entry("post_ln_block", "components.blocks:PostLNBlock"),
    Entry("parallel_block", "components.blocks:ParallelBlock"),
    Entry("sandwich_block", "components.blocks:SandwichBlock"),
    Entry("reordered_block", "components.blocks:ReorderedBlock"),
    Entry("checkpointed_block", "components.checkpointed:CheckpointedBlock"),
    Entry("identity", "components.shapes:Identity"),
    Entry("flatten", "components.shapes:Flatten"),
    Entry("unflatten", "components.shapes:Unflatten"),
    Entry("pixel_shuffle", "components.shapes:PixelShuffle"),
    Entry("pixel_unshuffle", "components.shapes:PixelUnshuffle"),
    Entry("channel_shuffle", "components.shapes:ChannelShuffle"),
    Entry("upsample", "components.shapes:Upsample"),
    Entry("nearest2d", "components.interpolation:Nearest2d"),
    Entry("interpolation1d", "components.interpolation:Interpolation1d"),
    Entry("interpolation2d", "components.interpolation:Interpolation2d"),
    Entry("interpolation3d", "components.interpolation:Interpolation3d"),
    Entry("unfold", "components.unfolding:Unfold"),
    Entry("fold", "components.unfolding:Fold"),
    Entry("padding1d", "components.padding:Padding1d"),
    Entry("padding2d", "components.padding:Padding2d"),
    Entry("padding3d", "components.padding:Padding3d"),
    Entry("conv1d", "components.convolution:Conv1d", cases=("depthwise", "same length")),
    Entry("conv2d", "components.convolution:Conv2d",
          cases=("depthwise", "pointwise (1 × 1)", "same size")),
    Entry("conv3d", "components.convolution:Conv3d", cases=("depthwise",)),
    Entry("conv_transpose1d", "components.transposed:ConvTranspose1d"),
    Entry("conv_transpose2d", "components.transposed:ConvTranspose2d"),
    Entry("conv_transpose3d", "components.transposed:ConvTranspose3d"),
    Entry("max_pool1d", "components.pooling:MaxPool1d"),
    Entry("max_pool2d", "components.pooling:MaxPool2d"),
    Entry("max_pool3d", "components.pooling:MaxPool3d"),
    Entry("avg_pool1d", "components.pooling:AvgPool1d"),
    Entry("avg_pool2d", "components.pooling:AvgPool2d"),
    Entry("avg_pool3d", "components.pooling:AvgPool3d"),
    Entry("adaptive_avg_pool1d", "components.adaptive:AdaptiveAvgPool1d"),
    Entry("adaptive_avg_pool2d", "components.adaptive:AdaptiveAvgPool2d"),
    Entry("adaptive_avg_pool3d", "components.adaptive:AdaptiveAvgPool3d"),
    Entry("adaptive_max_pool1d", "components.adaptive:AdaptiveMaxPool1d"),
    Entry("adaptive_max_pool2d", "components.adaptive:AdaptiveMaxPool2d"),
    Entry("adaptive_max_pool3d", "components.adaptive:AdaptiveMaxPool3d"),
    Entry("batch_norm", "components.image_norms:BatchNorm"),
    Entry("batch_norm3d", "components.image_norms:BatchNorm3d"),
    Entry("group_norm", "components.image_norms:GroupNorm"),
    Entry("group_norm3d", "components.image_norms:GroupNorm3d"),
    Entry("local_response_norm", "components.response:LocalResponseNorm"),
    Entry("convolution_unit", "components.units:ConvolutionUnit"),
    Entry("basic_block", "components.residual:BasicBlock"),
    Entry("bottleneck", "components.residual:Bottleneck"),
    Entry("squeeze_excitation", "components.inverted:SqueezeExcitation"),
    Entry("inverted_residual", "components.inverted:InvertedResidual"),
    Entry("patch_embedding", "components.patches:PatchEmbedding"),
    Entry("image_embedding", "components.patches:ImageEmbedding"),
    Entry("convnext_block", "components.convnext:ConvNeXtBlock"),
    Entry("conditioned_block", "components.conditioned:ConditionedBlock"),
    Entry("step_embedding", "components.step_embedding:StepEmbedding"),
    Entry("step_residual", "components.diffusion:StepResidual"),
    Entry("spatial_transformer", "components.diffusion:SpatialTransformer"),
    Entry("post_ln_encoder", "components.encoder:PostLNEncoder"),
    Entry("pre_ln_encoder", "components.encoder:PreLNEncoder"),
    Entry("pre_ln_decoder_block", "components.decoder:PreLNDecoderBlock"),
    Entry("post_ln_decoder_block", "components.decoder:PostLNDecoderBlock"),
    Entry("post_ln_decoder", "components.decoder:PostLNDecoder"),
    Entry("pre_ln_decoder", "components.decoder:PreLNDecoder"),
    Entry("encoder_decoder", "components.decoder:EncoderDecoder"),
    Entry("mini_gpt", "models.mini_gpt:MiniGPT", "model", configured=True),
    Entry("mini_gpt-small", "models.mini_gpt:MiniGPT", "model", "mini_gpt", configured=True),
    Entry("gpt", "models.gpt:GPT", "model"),
    Entry("gpt2", "models.gpt2:GPT2", "model", configured=True),
    Entry("gptj", "models.gptj:GPTJ", "model"),
    Entry("gpt_neox", "models.gpt_neox:GPTNeoX", "model"),
    Entry("opt", "models.opt:OPT", "model"),
    Entry("bloom", "models.bloom:Bloom", "model"),
    Entry("falcon", "models.falcon:Falcon", "model", cases=("multi-query", "multi-head")),
    Entry("phi", "models.phi:Phi", "model"),
    Entry("gpt_neo", "models.gpt_neo:GPTNeo", "model"),
    Entry("gpt_bigcode", "models.gpt_bigcode:GPTBigCode", "model",
          cases=("multi-query", "multi-head")),
    Entry("starcoder2", "models.starcoder2:StarCoder2", "model"),
    Entry("mpt", "models.mpt:MPT", "model"),
    Entry("stablelm", "models.stablelm:StableLM", "model"),
    Entry("cohere", "models.cohere:Cohere", "model"),
    Entry("llama", "models.llama:Llama", "model", cases=GROUPED),
    Entry("mistral", "models.mistral:Mistral", "model", cases=GROUPED),
    Entry("qwen2", "models.qwen2:Qwen2", "model", cases=GROUPED),
    Entry("qwen3", "models.qwen3:Qwen3", "model", cases=GROUPED),
    Entry("gemma", "models.gemma:Gemma", "model", cases=GROUPED),
    Entry("gemma2", "models.gemma:Gemma2", "model", cases=GROUPED),
    Entry("gemma3", "models.gemma:Gemma3", "model", cases=GROUPED),
    Entry("phi3", "models.phi3:Phi3", "model", cases=GROUPED),
    Entry("olmo2", "models.olmo:Olmo2", "model", cases=GROUPED),
    Entry("olmo", "models.olmo:Olmo", "model", cases=GROUPED),
    Entry("olmo3", "models.olmo:Olmo3", "model", cases=GROUPED),
    Entry("smollm3", "models.smollm3:SmolLM3", "model", cases=GROUPED),
    Entry("seed_oss", "models.seed_oss:SeedOss", "model", cases=GROUPED),
    Entry("granite", "models.granite:Granite", "model", cases=GROUPED),
    Entry("glm", "models.glm:Glm", "model", cases=GROUPED),
    Entry("glm4", "models.glm:Glm4", "model", cases=GROUPED),
    Entry("cohere2", "models.cohere:Cohere2", "model"),
    Entry("vgg", "models.vgg:VGG", "model"),
    Entry("mixtral", "models.mixtral:Mixtral", "model", cases=SPARSE),
    Entry("qwen2_moe", "models.qwen_moe:Qwen2Moe", "model", cases=SPARSE),
    Entry("qwen3_moe", "models.qwen_moe:Qwen3Moe", "model", cases=SPARSE),
    Entry("gpt_oss", "models.gpt_oss:GptOss", "model", cases=SPARSE),
    Entry("olmoe", "models.olmo:Olmoe", "model", cases=SPARSE),
    Entry("granite_moe", "models.sparse_llamas:GraniteMoe", "model", cases=SPARSE),
    Entry("phimoe", "models.sparse_llamas:PhiMoe", "model", cases=SPARSE),
    Entry("glm4_moe", "models.sparse_llamas:Glm4Moe", "model", cases=SPARSE),
    Entry("deepseek", "models.deepseek:DeepSeek", "model", cases=("one expert a token", "dense")),
    Entry("mamba", "models.mamba:Mamba", "model"),
    Entry("mamba2", "models.mamba2:Mamba2", "model"),
    Entry("resnet", "models.resnet:ResNet", "model"),
    Entry("mobilenet_v2", "models.mobilenet:MobileNetV2", "model"),
    Entry("efficientnet", "models.mobilenet:EfficientNet", "model"),
    Entry("convnext", "models.convnext:ConvNeXt", "model"),
    Entry("vit", "models.vit:ViT", "model"),
    Entry("dinov2", "models.dinov2:DinoV2", "model"),
    Entry("clip", "models.clip:Clip", "model"),
    Entry("dit", "models.dit:DiT", "model"),
    Entry("unet", "models.unet:UNet", "model"),
    Entry("diffusion_unet", "models.diffusion_unet:DiffusionUNet", "model"),
    Entry("sdxl_unet", "models.sdxl_unet:SDXLUNet", "model"),
    Entry("clip_text", "models.clip:ClipText", "model"),
    Entry("clip_image", "models.clip:ClipImage", "model"),
    Entry("siglip", "models.siglip:Siglip", "model"),
    Entry("siglip_text", "models.siglip:SiglipText", "model"),
    Entry("siglip_image", "models.siglip:SiglipImage", "model"),
    Entry("bert", "models.bert:Bert", "model"),
    Entry("bert_pretraining", "models.bert:Bert", "model", options={"head": "pretraining"},
          title="BERT with its masked-token and next-sentence heads"),
    Entry("bert_classifier", "models.bert:Bert", "model", options={"head": "sequences"},
          title="BERT with a classifier of the pooled vector"),
    Entry("roberta", "models.bert:Roberta", "model"),
    Entry("distilbert", "models.distilbert:DistilBert", "model"),
    Entry("albert", "models.albert:Albert", "model"),
    Entry("electra", "models.electra:Electra", "model"),
    Entry("deberta", "models.deberta:Deberta", "model"),
    Entry("mpnet", "models.mpnet:MPNet", "model"),
    Entry("modernbert", "models.modernbert:ModernBert", "model"),
    Entry("t5", "models.t5:T5", "model"),
    Entry("t5_encoder", "models.t5:T5Encoder", "model"),
    Entry("bart", "models.bart:Bart", "model"),
    Entry("mbart", "models.bart:MBart", "model"),
    Entry("pegasus", "models.pegasus:Pegasus", "model"),
    Entry("marian", "models.pegasus:Marian", "model"),
    Entry("whisper", "models.whisper:Whisper", "model"),
    Entry("whisper_classifier", "models.whisper:WhisperClassifier", "model"),
)  # fmt: skip

AXIOMS: tuple[Entry, ...] = (
    Entry("axiom_leaf", "axioms.values:Leaf", "axiom"),
    Entry("axiom_contract", "axioms.values:Contraction", "axiom"),
    Entry("axiom_contract_pairs", "axioms.values:MaskedContraction", "axiom"),
    Entry("axiom_map", "axioms.values:Pointwise", "axiom"),
    Entry("axiom_map_broadcast", "axioms.values:Broadcast", "axiom"),
    Entry("axiom_sum", "axioms.values:Summed", "axiom"),
    Entry("axiom_repeat", "axioms.places:Repeated", "axiom"),
    Entry("axiom_max", "axioms.values:Largest", "axiom"),
    Entry("axiom_rearrange", "axioms.places:Rearranged", "axiom"),
    Entry("axiom_slice", "axioms.places:Sliced", "axiom"),
    Entry("axiom_pad", "axioms.places:Padded", "axiom"),
    Entry("axiom_join", "axioms.places:Joined", "axiom"),
    Entry("axiom_windows", "axioms.places:Sliding", "axiom"),
    Entry("axiom_overlap", "axioms.places:Overlapped", "axiom"),
    Entry("axiom_gather", "axioms.places:Looked", "axiom"),
    Entry("axiom_scatter", "axioms.places:Scattered", "axiom"),
    Entry("axiom_fused", "axioms.bodies:Fused", "axiom"),
    Entry("axiom_recompute", "axioms.bodies:RunAgain", "axiom"),
    Entry("axiom_call", "axioms.bodies:Layers", "axiom"),
    Entry("axiom_call_shared", "axioms.bodies:SharedLayers", "axiom"),
    Entry("axiom_call_scan", "axioms.bodies:Scanned", "axiom"),
)
"""The operations, each in a program of its own: derived and checked like everything else, and not
listed, since nobody looks for them by name."""

BY_NAME = {entry.name: entry for entry in ENTRIES}


def find(name: str) -> Entry:
    """Return the entry of a name.

    Raises:
        UnknownTarget: there is none; the message names the nearest.
    """
    known = {**BY_NAME, **{axiom.name: axiom for axiom in AXIOMS}}
    if name not in known:
        from symledger.called import called

        meant = nearest(name, [*BY_NAME, *published()], called)
        raise UnknownTarget(
            f"{shown(name)} is not in the catalogue. {meant} "
            "`symledger list` shows all; a component of your own is path/to/model.py:ClassName."
        )
    return known[name]
