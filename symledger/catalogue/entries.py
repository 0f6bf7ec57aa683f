"""The catalogue: what can be derived by name, in editorial order.

An entry belongs to an owner, whose formulas it evaluates: ``gpt3-175b`` is ``gpt2`` at a
configuration. Definitions are imported when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from symledger.catalogue.checkpoints import checkpoints
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
    Entry("linear", "components.maps.linear:Linear", inputs={"x": "B d_in"}),
    Entry("bilinear", "components.maps.bilinear:Bilinear", inputs={"x": "B d_1", "z": "B d_2"}),
    Entry("lora_linear", "components.maps.lora:LoRALinear", inputs={"x": "B d_in"},
          cases=("square",)),
    Entry("attention", "components.attention.attention:Attention", inputs=CROSS,
          cases=("multi-head", "grouped", "multi-query", "cross-attention")),
    Entry("self_attention", "components.attention.attention:Attention",
          title="attention of a sequence to itself",
          cases=("multi-head", "grouped", "multi-query")),
    Entry("cached_attention", "components.attention.attention:Attention", inputs=CACHE,
          lengths={"P": "S - T"}, options={"causal": True}, cases=("decoding one token",),
          title="attention of T new tokens to S positions, S − T of them in a cache"),
    Entry("sourced_attention", "components.attention.sourced:SourcedAttention"),
    Entry("dot_product_attention", "components.attention.dot_product:ScaledDotProduct",
          cases=("multi-query", "decoding one token")),
    Entry("flash_attention", "components.attention.flash:FlashAttention"),
    Entry("window_attention", "components.attention.relative:WindowAttention",
          inputs={"q": "B T h d_k", "k": "B T h_kv d_k", "v": "B T h_kv d_v"}),
    Entry("alibi_attention", "components.attention.relative:ALiBiAttention"),
    Entry("relative_attention", "components.attention.relative:RelativeAttention"),
    Entry("latent_attention", "components.attention.latent:LatentAttention", inputs={"x": "B T d"}),
    Entry("cached_latent_attention", "components.attention.latent:LatentAttention",
          inputs={"x": "B T d", "past_c": "B P d_c", "past_r": "B P d_rot"},
          lengths={"P": "S - T"}, cases=("decoding one token",),
          title="latent attention of T new tokens to S positions, S − T of them remembered"),
    Entry("feed_forward", "components.feed_forward.feed_forward:FeedForward"),
    Entry("gated_feed_forward", "components.feed_forward.feed_forward:GatedFeedForward",
          cases=("as many weights as a plain network of width 4d",)),
    Entry("activation", "components.feed_forward.activation:Activation"),
    Entry("prelu", "components.feed_forward.activation:PReLU"),
    Entry("rrelu", "components.feed_forward.activation:RandomizedReLU"),
    Entry("glu", "components.feed_forward.activation:GLU"),
    Entry("experts", "components.feed_forward.experts:Experts"),
    Entry("router", "components.feed_forward.experts:Router"),
    Entry("mixture_of_experts", "components.feed_forward.experts:MixtureOfExperts",
          cases=("one expert a token", "dense")),
    Entry("layer_norm", "components.norms.norms:LayerNorm"),
    Entry("rms_norm", "components.norms.norms:RMSNorm"),
    Entry("composed_rms_norm", "components.norms.norms:ComposedRMSNorm"),
    Entry("softmax", "components.heads_and_losses.softmax:Softmax"),
    Entry("log_softmax", "components.heads_and_losses.log_softmax:LogSoftmax"),
    Entry("softmin", "components.heads_and_losses.log_softmax:Softmin"),
    Entry("dropout", "components.heads_and_losses.dropout:Dropout"),
    Entry("alpha_dropout", "components.heads_and_losses.dropout_kinds:AlphaDropout"),
    Entry("channel_alpha_dropout", "components.heads_and_losses.dropout_kinds:ChannelAlphaDropout"),
    Entry("channel_dropout", "components.heads_and_losses.dropout_kinds:ChannelDropout"),
    Entry("rnn", "components.recurrence.recurrent:RNN", cases=("input as wide as the state",)),
    Entry("gru", "components.recurrence.recurrent:GRU", cases=("input as wide as the state",)),
    Entry("lstm", "components.recurrence.recurrent:LSTM", cases=("input as wide as the state",)),
    Entry("causal_convolution", "components.state_spaces.selective:CausalConvolution"),
    Entry("selective_scan", "components.state_spaces.selective:SelectiveScan"),
    Entry("mamba_mixer", "components.state_spaces.selective:MambaMixer"),
    Entry("state_space_dual", "components.state_spaces.dual:StateSpaceDual"),
    Entry("mamba2_mixer", "components.state_spaces.dual:Mamba2Mixer"),
    Entry("rnn_cell", "components.recurrence.recurrent_steps:RNNStep"),
    Entry("gru_cell", "components.recurrence.recurrent_steps:GRUStep"),
    Entry("lstm_cell", "components.recurrence.recurrent_steps:LSTMStep"),
    Entry("token_embedding", "components.embeddings.embedding:TokenEmbedding"),
    Entry("embedding_bag", "components.embeddings.embedding:EmbeddingBag"),
    Entry("learned_positions", "components.embeddings.positions:LearnedPositions"),
    Entry("sinusoidal_positions", "components.embeddings.positions:SinusoidalPositions"),
    Entry("rotary_positions", "components.embeddings.rotary:RotaryPositions"),
    Entry("lm_head", "components.embeddings.embedding:LMHead"),
    Entry("masked_lm_head", "components.heads_and_losses.heads:MaskedLMHead"),
    Entry("pooler", "components.heads_and_losses.heads:Pooler"),
    Entry("tied_embedding", "components.embeddings.embedding:TiedEmbedding"),
    Entry("cross_entropy", "components.heads_and_losses.losses:CrossEntropy"),
    Entry("negative_log_likelihood", "components.heads_and_losses.losses:NegativeLogLikelihood"),
    Entry("elementwise_loss", "components.heads_and_losses.losses:ElementwiseLoss"),
    Entry("margin_ranking", "components.heads_and_losses.losses:MarginRanking"),
    Entry("pairwise_distance", "components.heads_and_losses.distances:PairwiseDistance"),
    Entry("cosine_similarity", "components.heads_and_losses.distances:CosineSimilarity"),
    Entry("triplet_margin", "components.heads_and_losses.distances:TripletMargin"),
    Entry("cosine_embedding", "components.heads_and_losses.distances:CosineEmbedding"),
    Entry("hinge_embedding", "components.heads_and_losses.distances:HingeEmbedding"),
    Entry("multi_margin", "components.heads_and_losses.distances:MultiMargin"),
    Entry("gaussian_nll", "components.heads_and_losses.distances:GaussianNLL"),
    Entry("multi_label_soft_margin", "components.heads_and_losses.distances:MultiLabelSoftMargin"),
    Entry("pre_ln_block", "components.blocks.blocks:PreLNBlock"),
    Entry("post_ln_block", "components.blocks.blocks:PostLNBlock"),
    Entry("parallel_block", "components.blocks.blocks:ParallelBlock"),
    Entry("sandwich_block", "components.blocks.blocks:SandwichBlock"),
    Entry("reordered_block", "components.blocks.blocks:ReorderedBlock"),
    Entry("checkpointed_block", "components.blocks.checkpointed:CheckpointedBlock"),
    Entry("identity", "components.layout.shapes:Identity"),
    Entry("flatten", "components.layout.shapes:Flatten"),
    Entry("unflatten", "components.layout.shapes:Unflatten"),
    Entry("pixel_shuffle", "components.layout.shapes:PixelShuffle"),
    Entry("pixel_unshuffle", "components.layout.shapes:PixelUnshuffle"),
    Entry("channel_shuffle", "components.layout.shapes:ChannelShuffle"),
    Entry("upsample", "components.layout.shapes:Upsample"),
    Entry("nearest2d", "components.layout.interpolation:Nearest2d"),
    Entry("interpolation1d", "components.layout.interpolation:Interpolation1d"),
    Entry("interpolation2d", "components.layout.interpolation:Interpolation2d"),
    Entry("interpolation3d", "components.layout.interpolation:Interpolation3d"),
    Entry("unfold", "components.layout.unfolding:Unfold"),
    Entry("fold", "components.layout.unfolding:Fold"),
    Entry("padding1d", "components.convolution.padding:Padding1d"),
    Entry("padding2d", "components.convolution.padding:Padding2d"),
    Entry("padding3d", "components.convolution.padding:Padding3d"),
    Entry("conv1d", "components.convolution.convolution:Conv1d",
          cases=("depthwise", "same length")),
    Entry("conv2d", "components.convolution.convolution:Conv2d",
          cases=("depthwise", "pointwise (1 × 1)", "same size")),
    Entry("conv3d", "components.convolution.convolution:Conv3d", cases=("depthwise",)),
    Entry("conv_transpose1d", "components.convolution.transposed:ConvTranspose1d"),
    Entry("conv_transpose2d", "components.convolution.transposed:ConvTranspose2d"),
    Entry("conv_transpose3d", "components.convolution.transposed:ConvTranspose3d"),
    Entry("max_pool1d", "components.convolution.pooling:MaxPool1d"),
    Entry("max_pool2d", "components.convolution.pooling:MaxPool2d"),
    Entry("max_pool3d", "components.convolution.pooling:MaxPool3d"),
    Entry("avg_pool1d", "components.convolution.pooling:AvgPool1d"),
    Entry("avg_pool2d", "components.convolution.pooling:AvgPool2d"),
    Entry("avg_pool3d", "components.convolution.pooling:AvgPool3d"),
    Entry("adaptive_avg_pool1d", "components.convolution.adaptive:AdaptiveAvgPool1d"),
    Entry("adaptive_avg_pool2d", "components.convolution.adaptive:AdaptiveAvgPool2d"),
    Entry("adaptive_avg_pool3d", "components.convolution.adaptive:AdaptiveAvgPool3d"),
    Entry("adaptive_max_pool1d", "components.convolution.adaptive:AdaptiveMaxPool1d"),
    Entry("adaptive_max_pool2d", "components.convolution.adaptive:AdaptiveMaxPool2d"),
    Entry("adaptive_max_pool3d", "components.convolution.adaptive:AdaptiveMaxPool3d"),
    Entry("batch_norm", "components.norms.image_norms:BatchNorm"),
    Entry("batch_norm3d", "components.norms.image_norms:BatchNorm3d"),
    Entry("group_norm", "components.norms.image_norms:GroupNorm"),
    Entry("group_norm3d", "components.norms.image_norms:GroupNorm3d"),
    Entry("local_response_norm", "components.norms.response:LocalResponseNorm"),
    Entry("convolution_unit", "components.image_blocks.units:ConvolutionUnit"),
    Entry("basic_block", "components.image_blocks.residual:BasicBlock"),
    Entry("bottleneck", "components.image_blocks.residual:Bottleneck"),
    Entry("squeeze_excitation", "components.image_blocks.inverted:SqueezeExcitation"),
    Entry("inverted_residual", "components.image_blocks.inverted:InvertedResidual"),
    Entry("patch_embedding", "components.image_blocks.patches:PatchEmbedding"),
    Entry("image_embedding", "components.image_blocks.patches:ImageEmbedding"),
    Entry("convnext_block", "components.image_blocks.convnext:ConvNeXtBlock"),
    Entry("conditioned_block", "components.blocks.conditioned:ConditionedBlock"),
    Entry("step_embedding", "components.blocks.step_embedding:StepEmbedding"),
    Entry("step_residual", "components.image_blocks.diffusion:StepResidual"),
    Entry("spatial_transformer", "components.image_blocks.diffusion:SpatialTransformer"),
    Entry("post_ln_encoder", "components.blocks.encoder:PostLNEncoder"),
    Entry("pre_ln_encoder", "components.blocks.encoder:PreLNEncoder"),
    Entry("pre_ln_decoder_block", "components.blocks.decoder:PreLNDecoderBlock"),
    Entry("post_ln_decoder_block", "components.blocks.decoder:PostLNDecoderBlock"),
    Entry("post_ln_decoder", "components.blocks.decoder:PostLNDecoder"),
    Entry("pre_ln_decoder", "components.blocks.decoder:PreLNDecoder"),
    Entry("encoder_decoder", "components.blocks.decoder:EncoderDecoder"),
    Entry("mini_gpt", "models.mini_gpt.model:MiniGPT", "model", configured=True),
    Entry("mini_gpt-small", "models.mini_gpt.model:MiniGPT", "model", "mini_gpt", configured=True),
    Entry("gpt", "models.gpt.model:GPT", "model"),
    Entry("gpt2", "models.gpt2.model:GPT2", "model", configured=True),
    Entry("gptj", "models.gptj.model:GPTJ", "model"),
    Entry("gpt_neox", "models.gpt_neox.model:GPTNeoX", "model"),
    Entry("opt", "models.opt.model:OPT", "model"),
    Entry("bloom", "models.bloom.model:Bloom", "model"),
    Entry("falcon", "models.falcon.model:Falcon", "model", cases=("multi-query", "multi-head")),
    Entry("phi", "models.phi.model:Phi", "model"),
    Entry("gpt_neo", "models.gpt_neo.model:GPTNeo", "model"),
    Entry("gpt_bigcode", "models.gpt_bigcode.model:GPTBigCode", "model",
          cases=("multi-query", "multi-head")),
    Entry("starcoder2", "models.starcoder2.model:StarCoder2", "model"),
    Entry("mpt", "models.mpt.model:MPT", "model"),
    Entry("stablelm", "models.stablelm.model:StableLM", "model"),
    Entry("cohere", "models.cohere.model:Cohere", "model"),
    Entry("llama", "models.llama.model:Llama", "model", cases=GROUPED),
    Entry("mistral", "models.mistral.model:Mistral", "model", cases=GROUPED),
    Entry("qwen2", "models.qwen2.model:Qwen2", "model", cases=GROUPED),
    Entry("qwen3", "models.qwen3.model:Qwen3", "model", cases=GROUPED),
    Entry("gemma", "models.gemma.model:Gemma", "model", cases=GROUPED),
    Entry("gemma2", "models.gemma.model:Gemma2", "model", cases=GROUPED),
    Entry("gemma3", "models.gemma.model:Gemma3", "model", cases=GROUPED),
    Entry("phi3", "models.phi3.model:Phi3", "model", cases=GROUPED),
    Entry("olmo2", "models.olmo.model:Olmo2", "model", cases=GROUPED),
    Entry("olmo", "models.olmo.model:Olmo", "model", cases=GROUPED),
    Entry("olmo3", "models.olmo.model:Olmo3", "model", cases=GROUPED),
    Entry("smollm3", "models.smollm3.model:SmolLM3", "model", cases=GROUPED),
    Entry("seed_oss", "models.seed_oss.model:SeedOss", "model", cases=GROUPED),
    Entry("granite", "models.granite.model:Granite", "model", cases=GROUPED),
    Entry("glm", "models.glm.model:Glm", "model", cases=GROUPED),
    Entry("glm4", "models.glm.model:Glm4", "model", cases=GROUPED),
    Entry("cohere2", "models.cohere.model:Cohere2", "model"),
    Entry("vgg", "models.vgg.model:VGG", "model"),
    Entry("mixtral", "models.mixtral.model:Mixtral", "model", cases=SPARSE),
    Entry("qwen2_moe", "models.qwen_moe.model:Qwen2Moe", "model", cases=SPARSE),
    Entry("qwen3_moe", "models.qwen_moe.model:Qwen3Moe", "model", cases=SPARSE),
    Entry("gpt_oss", "models.gpt_oss.model:GptOss", "model", cases=SPARSE),
    Entry("olmoe", "models.olmo.model:Olmoe", "model", cases=SPARSE),
    Entry("granite_moe", "models.sparse_llamas.model:GraniteMoe", "model", cases=SPARSE),
    Entry("phimoe", "models.sparse_llamas.model:PhiMoe", "model", cases=SPARSE),
    Entry("glm4_moe", "models.sparse_llamas.model:Glm4Moe", "model", cases=SPARSE),
    Entry("deepseek", "models.deepseek.model:DeepSeek", "model",
          cases=("one expert a token", "dense")),
    Entry("mamba", "models.mamba.model:Mamba", "model"),
    Entry("mamba2", "models.mamba2.model:Mamba2", "model"),
    Entry("resnet", "models.resnet.model:ResNet", "model"),
    Entry("mobilenet_v2", "models.mobilenet.model:MobileNetV2", "model"),
    Entry("efficientnet", "models.mobilenet.model:EfficientNet", "model"),
    Entry("convnext", "models.convnext.model:ConvNeXt", "model"),
    Entry("vit", "models.vit.model:ViT", "model"),
    Entry("dinov2", "models.dinov2.model:DinoV2", "model"),
    Entry("clip", "models.clip.model:Clip", "model"),
    Entry("dit", "models.dit.model:DiT", "model"),
    Entry("unet", "models.unet.model:UNet", "model"),
    Entry("diffusion_unet", "models.diffusion_unet.model:DiffusionUNet", "model"),
    Entry("sdxl_unet", "models.sdxl_unet.model:SDXLUNet", "model"),
    Entry("clip_text", "models.clip.model:ClipText", "model"),
    Entry("clip_image", "models.clip.model:ClipImage", "model"),
    Entry("siglip", "models.siglip.model:Siglip", "model"),
    Entry("siglip_text", "models.siglip.model:SiglipText", "model"),
    Entry("siglip_image", "models.siglip.model:SiglipImage", "model"),
    Entry("bert", "models.bert.model:Bert", "model"),
    Entry("bert_pretraining", "models.bert.model:Bert", "model", options={"head": "pretraining"},
          title="BERT with its masked-token and next-sentence heads"),
    Entry("bert_classifier", "models.bert.model:Bert", "model", options={"head": "sequences"},
          title="BERT with a classifier of the pooled vector"),
    Entry("roberta", "models.bert.model:Roberta", "model"),
    Entry("distilbert", "models.distilbert.model:DistilBert", "model"),
    Entry("albert", "models.albert.model:Albert", "model"),
    Entry("electra", "models.electra.model:Electra", "model"),
    Entry("deberta", "models.deberta.model:Deberta", "model"),
    Entry("mpnet", "models.mpnet.model:MPNet", "model"),
    Entry("modernbert", "models.modernbert.model:ModernBert", "model"),
    Entry("t5", "models.t5.model:T5", "model"),
    Entry("t5_encoder", "models.t5.model:T5Encoder", "model"),
    Entry("bart", "models.bart.model:Bart", "model"),
    Entry("mbart", "models.bart.model:MBart", "model"),
    Entry("pegasus", "models.pegasus.model:Pegasus", "model"),
    Entry("marian", "models.pegasus.model:Marian", "model"),
    Entry("whisper", "models.whisper.model:Whisper", "model"),
    Entry("whisper_classifier", "models.whisper.model:WhisperClassifier", "model"),
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
        from symledger.catalogue.synonyms import meant_by

        meant = nearest(name, [*BY_NAME, *checkpoints()], meant_by)
        raise UnknownTarget(
            f"{shown(name)} is not in the catalogue. {meant} "
            "`symledger list` shows all; a component of your own is path/to/model.py:ClassName."
        )
    return known[name]
