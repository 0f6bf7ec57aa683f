"""Layers that work on each element, or along one axis: nonlinearities, dropout, softmax, losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symledger.arguments.specs import Choice, Free, Maybe, Number, Only, Use
from symledger.languages.message import message
from symledger.torch_layers.argument_uses import Chance
from symledger.torch_layers.row import FACTORY, INPLACE, MAYBE_NONE, Arguments, Layer, Rule
from symledger.torch_layers.rules import an_axis, at_most, reversible, rising, scaled


def function(
    name: str, chosen: str, signature: str = "inplace=False", uses: Mapping[str, Use] = INPLACE,
    rules: tuple[Rule, ...] = (),
) -> Layer:  # fmt: skip
    """Return the row of a scalar function."""
    known = {n: use for n, use in uses.items() if n in signature}
    return Layer(name, signature, "activation", f"{name}()", known, {"function": chosen}, rules)


def loss(
    name: str, chosen: str, signature: str, uses: Mapping[str, Use] | None = None,
    rules: tuple[Rule, ...] = (),
) -> Layer:  # fmt: skip
    """Return the row of a loss between two tensors, element by element."""
    sets, uses = {"function": chosen} if chosen else {}, {**REDUCED, **(uses or {})}
    return Layer(name, signature, "elementwise_loss", f"{name}()", uses, sets, rules)


ALPHA: Mapping[str, Use] = {"alpha": Number(without=(0,)), **INPLACE}


def along(what: str, others: str = "B·T") -> Callable[[Arguments], str]:
    """Say which axis of what enters a layer works along."""
    def reads(values: Arguments) -> str:
        match values["dim"]:
            case None:
                axis = message("reads.chosen_axis")
            case -1:
                axis = message("reads.last_axis")
            case number:
                axis = message("reads.axis", number=str(number))
        return message("reads.along", symbol=what, axis=axis, others=others)

    return reads


def kinds(values: Arguments) -> str:
    """Say what whole numbers mean where PyTorch takes signs."""
    return message("reads.kinds")


OLD = "size_average=None, reduce=None, reduction='mean'"
REDUCTIONS: Mapping[object, str] = {kind: kind for kind in ("mean", "sum", "none")}
REDUCED: Mapping[str, Use] = {"reduction": Choice("reduction", REDUCTIONS)}
REDUCED_BY_ROWS: Mapping[str, Use] = {
    "reduction": Choice("reduction", {**REDUCTIONS, "batchmean": "mean"}),
}
CLASSES: Mapping[str, Use] = {  # divided by their number, a sum is one multiplication as well
    "reduction": Choice("reduction", {"mean": "mean", "sum": "mean", "none": "none"}),
    "ignore_index": Free((int,)),
}
SOFTMAXES = {"Softmax": "softmax", "Softmin": "softmin", "LogSoftmax": "log_softmax"}


def dropping(name: str, entry: str) -> Layer:
    """Return the row of a layer that leaves elements to chance; of none it does nothing."""
    return Layer(name, "p=0.5, inplace=False", entry, f"{name}()", {"p": Chance(), **INPLACE},
                 chosen=lambda values: "" if values["p"] else "identity")  # fmt: skip


ELEMENTS: tuple[Layer, ...] = (
    Layer("Identity", "*args, **kwargs", "identity", "Identity()"),
    dropping("Dropout", "dropout"),
    *(dropping(f"Dropout{n}d", "channel_dropout") for n in (1, 2, 3)),
    dropping("AlphaDropout", "alpha_dropout"),
    dropping("FeatureAlphaDropout", "channel_alpha_dropout"),
    function("ReLU", "relu"),
    function("ReLU6", "relu6"),
    function("LeakyReLU", "leaky_relu", "negative_slope=0.01, inplace=False",
             {"negative_slope": Number(without=(0, 1)), **INPLACE},
             (reversible("negative_slope"),)),
    Layer("RReLU", "lower=0.125, upper=0.3333333333333333, inplace=False", "rrelu", "RReLU()",
          {"lower": Number(), "upper": Number(), **INPLACE}, rules=(at_most("lower", "upper"),)),
    function("ELU", "elu", "alpha=1.0, inplace=False", ALPHA,
             (scaled("alpha", "elu_scaled"), reversible("alpha"))),
    function("CELU", "elu", "alpha=1.0, inplace=False", ALPHA,
             (scaled("alpha", "celu"), reversible("alpha"))),
    function("SELU", "selu"),
    function("SiLU", "silu"),
    function("Mish", "mish"),
    function("Tanh", "tanh", ""),
    function("Tanhshrink", "tanhshrink", ""),
    function("Sigmoid", "sigmoid", ""),
    function("LogSigmoid", "log_sigmoid", ""),
    function("Softsign", "softsign", ""),
    function("Softplus", "softplus", "beta=1.0, threshold=20.0",
             {"beta": Number(without=(0,)), "threshold": Number()},
             (scaled("beta", "softplus_scaled"),)),
    function("Softshrink", "softshrink", "lambd=0.5", {"lambd": Number(without=(0,), above=0)}),
    function("Hardshrink", "hardshrink", "lambd=0.5", {"lambd": Number(without=(0,))}),
    function("Hardsigmoid", "hardsigmoid"),
    function("Hardswish", "hardswish"),
    function("Hardtanh", "hardtanh",
             "min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None",
             {"min_val": Number(), "max_val": Number(), **INPLACE},
             (rising("min_val", "max_val"),)),
    Layer("Threshold", "threshold, value, inplace=False", "activation", "Threshold(0.1, 20)",
          {"threshold": Number(), "value": Number(), **INPLACE}, {"function": "relu"},
          reads=lambda values: message("reads.threshold")),
    Layer("GELU", "approximate='none'", "activation", "GELU()",
          {"approximate": Choice("function", {"none": "gelu", "tanh": "gelu_tanh"})}),
    Layer("PReLU", f"num_parameters=1, init=0.25, {FACTORY}", "prelu", "PReLU()",
          {"num_parameters": Maybe("C", "by_channel", absent=1), "init": Number()}),
    Layer("GLU", "dim=-1", "glu", "GLU()", {"dim": Free((int,))}, rules=(an_axis,),
          reads=along("d"), entered=lambda values: {"d": "d/2"}),
    *(Layer(name, "dim=None", entry, f"{name}(dim=-1)", {"dim": Free(MAYBE_NONE)},
            rules=(an_axis,), reads=along("n"))
      for name, entry in SOFTMAXES.items()),
    Layer("Softmax2d", "", "softmax", "Softmax2d()",
          reads=lambda values: message("reads.channels")),
    Layer("CrossEntropyLoss", "weight=None, size_average=None, ignore_index=-100, reduce=None, "
          "reduction='mean', label_smoothing=0.0", "cross_entropy", "CrossEntropyLoss()",
          {**CLASSES, "label_smoothing": Chance(("smoothing",))}),
    Layer("NLLLoss", "weight=None, size_average=None, ignore_index=-100, reduce=None, "
          "reduction='mean'", "negative_log_likelihood", "NLLLoss()", CLASSES),
    loss("MSELoss", "mse", OLD),
    loss("L1Loss", "l1", OLD),
    loss("SmoothL1Loss", "huber", f"{OLD}, beta=1.0", {"beta": Number(without=(0,), above=0)}),
    loss("HuberLoss", "huber", "reduction='mean', delta=1.0", {"delta": Number(above=0)},
         (scaled("delta", "huber_scaled"),)),
    loss("BCELoss", "bce", f"weight=None, {OLD}"),
    loss("KLDivLoss", "", f"{OLD}, log_target=False", {
        **REDUCED_BY_ROWS, "log_target": Choice("function", {False: "kl_div", True: "kl_div_log"}),
    }),
    loss("PoissonNLLLoss", "", "log_input=True, full=False, size_average=None, eps=1e-08, "
         "reduce=None, reduction='mean'", {
             "log_input": Choice("function", {True: "poisson_nll", False: "poisson_nll_rate"}),
             "eps": Number(without=(0,)),
         }),
    Layer("MarginRankingLoss", f"margin=0.0, {OLD}", "margin_ranking", "MarginRankingLoss()",
          {"margin": Number(), **REDUCED}),
    Layer("GaussianNLLLoss", "*, full=False, eps=1e-06, reduction='mean'", "gaussian_nll",
          "GaussianNLLLoss()", {"eps": Number(above=0), **REDUCED}),
    Layer("MultiLabelSoftMarginLoss", f"weight=None, {OLD}", "multi_label_soft_margin",
          "MultiLabelSoftMarginLoss()", REDUCED),
    Layer("CosineSimilarity", "dim=1, eps=1e-08", "cosine_similarity", "CosineSimilarity()",
          {"dim": Free((int,)), "eps": Number()}, rules=(an_axis,), reads=along("n", "B")),
    Layer("CosineEmbeddingLoss", f"margin=0.0, {OLD}", "cosine_embedding", "CosineEmbeddingLoss()",
          {"margin": Number(), **REDUCED}, reads=kinds),
    Layer("HingeEmbeddingLoss", f"margin=1.0, {OLD}", "hinge_embedding", "HingeEmbeddingLoss()",
          {"margin": Number(), **REDUCED}, reads=kinds),
    Layer("MultiMarginLoss", "p=1, margin=1.0, weight=None, size_average=None, reduce=None, "
          "reduction='mean'", "multi_margin", "MultiMarginLoss()",
          {"p": Only((1,)), "margin": Number(), **REDUCED}),
    Layer("PairwiseDistance", "p=2.0, eps=1e-06, keepdim=False", "pairwise_distance",
          "PairwiseDistance()", {"p": Only((2,)), "eps": Number(), "keepdim": Free((bool,))}),
    Layer("TripletMarginLoss", f"margin=1.0, p=2.0, eps=1e-06, swap=False, {OLD}",
          "triplet_margin", "TripletMarginLoss()",
          {"margin": Number(above=0), "p": Only((2,)), "eps": Number(), **REDUCED}),
    loss("BCEWithLogitsLoss", "bce_with_logits", f"weight=None, {OLD}, pos_weight=None"),
)  # fmt: skip
