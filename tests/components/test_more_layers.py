"""What torch.nn has beside the usual: volumes, cells, further activations; counts by hand."""

import numpy as np
import pytest
from sympy import Integer

from symledger.components.attention.sourced import SourcedAttention
from symledger.components.convolution.adaptive import (
    AdaptiveAvgPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
)
from symledger.components.convolution.convolution import Conv1d, Conv3d
from symledger.components.convolution.padding import Padding1d, Padding2d
from symledger.components.convolution.pooling import AvgPool1d, MaxPool3d
from symledger.components.convolution.transposed import ConvTranspose1d, ConvTranspose3d
from symledger.components.embeddings.embedding_bag import EmbeddingBag
from symledger.components.feed_forward.activation import GLU, PReLU, RandomizedReLU
from symledger.components.heads_and_losses.distances import (
    CosineEmbedding,
    CosineSimilarity,
    GaussianNLL,
    HingeEmbedding,
    MultiLabelSoftMargin,
    MultiMargin,
    PairwiseDistance,
    TripletMargin,
)
from symledger.components.heads_and_losses.dropout_kinds import (
    AlphaDropout,
    ChannelAlphaDropout,
    ChannelDropout,
)
from symledger.components.heads_and_losses.log_softmax import Softmin
from symledger.components.heads_and_losses.losses import (
    CrossEntropy,
    ElementwiseLoss,
    MarginRanking,
    NegativeLogLikelihood,
)
from symledger.components.layout.interpolation import (
    Interpolation1d,
    Interpolation2d,
    Interpolation3d,
    Nearest2d,
)
from symledger.components.layout.shapes import (
    ChannelShuffle,
    Flatten,
    Identity,
    PixelShuffle,
    PixelUnshuffle,
    Unflatten,
    Upsample,
)
from symledger.components.layout.unfolding import Fold, Unfold
from symledger.components.maps.bilinear import Bilinear
from symledger.components.norms.image_norms import BatchNorm, BatchNorm3d, GroupNorm, GroupNorm3d
from symledger.components.norms.response import LocalResponseNorm
from symledger.components.recurrence.recurrent_steps import GRUStep, LSTMStep, RNNStep
from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import (
    B,
    C,
    C_in,
    C_out,
    D,
    D_o,
    G,
    H,
    H_o,
    K,
    K_d,
    K_h,
    K_w,
    S,
    Size,
    T,
    T_o,
    V,
    W,
    W_o,
    d,
    d_1,
    d_2,
    d_h,
    d_in,
    d_key,
    d_out,
    d_s,
    d_val,
    e,
    e_h,
    e_w,
    h,
    p,
    p_h,
    p_w,
    q,
    r_h,
    r_w,
    s_h,
    s_w,
    u,
)  # fmt: skip

from .tables import Row, assert_row

N = Size("n")
CUBE = C_in * C_out * K_d * K_h * K_w / G
VOLUME = (B, C, D, H, W)
HIDDEN = h * d_h
SLIDES = s_h, s_w, r_h, r_w


@pytest.mark.parametrize(
    ("component", "row"),
    [
        (Conv3d(), Row(CUBE + C_out, 2 * B * D_o * H_o * W_o * CUBE, B * C_in * D * H * W,
                       (B, C_out, D_o, H_o, W_o))),
        (ConvTranspose3d(bias=False), Row(CUBE, 2 * B * D * H * W * CUBE, B * C_in * D * H * W,
                                          (B, C_out, D_o, H_o, W_o))),
        (ConvTranspose1d(), Row(C_in * C_out * K / G + C_out, 2 * B * T * C_in * C_out * K / G,
                                B * C_in * T, (B, C_out, T_o))),
        (AvgPool1d(), Row(0, 0, 0, (B, C, T_o))),
        (MaxPool3d(), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
        (AdaptiveAvgPool1d(), Row(0, 0, 0, (B, C, T_o))),
        (AdaptiveMaxPool3d(), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
        (BatchNorm3d(), Row(2 * C, 0, B * C * D * H * W + 2 * C, VOLUME)),
        (BatchNorm(affine=False), Row(0, 0, B * C * H * W + 2 * C, (B, C, H, W))),
        (BatchNorm(bias=False), Row(C, 0, B * C * H * W + 2 * C, (B, C, H, W))),
        (GroupNorm(affine=False), Row(0, 0, B * C * H * W + 2 * B * G, (B, C, H, W))),
        (GroupNorm3d(bias=False), Row(C, 0, B * C * D * H * W + 2 * B * G, VOLUME)),
        (ChannelDropout(), Row(0, 0, B * C, (B, C, N))),
        (PReLU(), Row(1, 0, B * C * N, (B, C, N))),
        (PReLU(by_channel=True), Row(C, 0, B * C * N, (B, C, N))),
        (GLU(), Row(0, 0, 2 * B * T * d, (B, T, d))),
        (Identity(), Row(0, 0, 0, (B, T, N))),
        (Flatten(), Row(0, 0, 0, (B, C * H * W))),
        (PixelShuffle(), Row(0, 0, 0, (B, C, H * u, W * u))),
        (PixelUnshuffle(), Row(0, 0, 0, (B, C * u**2, H, W))),
        (ChannelShuffle(), Row(0, 0, 0, (B, C * G, H, W))),
        (Upsample(), Row(0, 0, 0, (B, C, H * u, W * u))),
        (Unflatten(), Row(0, 0, 0, (B, C, H, W))),
        (Nearest2d(), Row(0, 0, 0, (B, C, H_o, W_o))),
        (Interpolation1d(), Row(0, 0, 0, (B, C, T_o))),
        (Interpolation3d(), Row(0, 0, 0, (B, C, D_o, H_o, W_o))),
        (Unfold(), Row(0, 0, 0, (B, C * K_h * K_w, H_o * W_o))),
        (Fold(), Row(0, 0, 0, (B, C, H, W))),
        (AlphaDropout(), Row(0, 0, B * T * N, (B, T, N))),
        (ChannelAlphaDropout(), Row(0, 0, B * C, (B, C, N))),
        # kept: the difference and its length; both vectors, their lengths, their directions
        (PairwiseDistance(), Row(0, 0, B * N + B, (B,))),
        (CosineSimilarity(), Row(0, 0, 4 * B * N + 2 * B, (B,))),
        # kept: two differences, two lengths and what is clipped; v, x − y and its square
        (TripletMargin(), Row(0, 0, 2 * B * N + 3 * B, ())),
        (TripletMargin(reduction="none"), Row(0, 0, 2 * B * N + 3 * B, (B,))),
        (GaussianNLL(reduction="none"), Row(0, 0, 3 * B * N, (B, N))),
        # kept: x and −x, y and 1 − y, and the logarithms of both chances
        (MultiLabelSoftMargin(reduction="none"), Row(0, 0, 6 * B * N, (B,))),
        # kept: both vectors, two squares, their root, the product, what is clipped, and two masks
        (CosineEmbedding(), Row(0, 0, 2 * B * N + 7 * B, ())),
        # kept: what is clipped, and two masks; what is clipped, and the classes
        (HingeEmbedding(reduction="none"), Row(0, 0, 3 * B * N, (B, N))),
        (MultiMargin(), Row(0, 0, B * V + B, ())),
        (RandomizedReLU(), Row(0, 0, 2 * B * T * N, (B, T, N))),
        (LocalResponseNorm(), Row(0, 0, 3 * B * C * H * W, (B, C, H, W))),
        (Interpolation2d(cubic=True), Row(0, 0, 0, (B, C, H_o, W_o))),
        (Softmin(), Row(0, 0, B * T * N, (B, T, N))),
        (Padding1d(), Row(0, 0, 0, (B, C, T + p + e))),
        (Padding2d(mode="reflect"), Row(0, 0, 0, (B, C, H + p_h + e_h, W + p_w + e_w))),
        # padded with what is there already, the longer input is kept
        (Conv1d(padding_mode="reflect"),
         Row(C_in * C_out * K / G + C_out, 2 * B * T_o * C_in * C_out * K / G,
             B * C_in * (T + 2 * p), (B, C_out, T_o))),
        # and so it is where one end is padded by more than the other
        (Conv1d(uneven=True),
         Row(C_in * C_out * K / G + C_out, 2 * B * T_o * C_in * C_out * K / G,
             B * C_in * (T + q), (B, C_out, T_o))),
        (Conv1d(padding_mode="circular", uneven=True, bias=False),
         Row(C_in * C_out * K / G, 2 * B * T_o * C_in * C_out * K / G,
             B * C_in * (T + 2 * p + q), (B, C_out, T_o))),
        (MaxPool3d(ceil=True), Row(0, 0, B * C * D_o * H_o * W_o, (B, C, D_o, H_o, W_o))),
        (AvgPool1d(ceil=True), Row(0, 0, 0, (B, C, T_o))),
        # kept: both inputs
        (Bilinear(), Row(d_1 * d_2 * d_out + d_out,
                         2 * B * T * d_out * (d_1 * d_2 + d_2),
                         B * T * (d_1 + d_2), (B, T, d_out))),
        (EmbeddingBag(), Row(V * d, 0, B * T, (B, d))),
        (EmbeddingBag(mode="max"), Row(V * d, 0, B * T + B * d, (B, d))),
        (ElementwiseLoss(), Row(0, 0, 2 * B * N, ())),
        (ElementwiseLoss(reduction="none"), Row(0, 0, 2 * B * N, (B, N))),
        # kept: the difference; both; e^y and y − x; e^x, x and y; −y, x − z and what is clipped
        (ElementwiseLoss("l1"), Row(0, 0, B * N, ())),
        (ElementwiseLoss("bce"), Row(0, 0, 2 * B * N, ())),
        (ElementwiseLoss("kl_div_log"), Row(0, 0, 2 * B * N, ())),
        (ElementwiseLoss("poisson_nll"), Row(0, 0, 3 * B * N, ())),
        (MarginRanking(), Row(0, 0, 3 * B * N, ())),
        (MarginRanking(reduction="none"), Row(0, 0, 3 * B * N, (B, N))),
        # kept: the targets
        (NegativeLogLikelihood(), Row(0, 0, B * T, ())),
        (NegativeLogLikelihood(reduction="none"), Row(0, 0, B * T, (B, T))),
        # and the logarithms of the probabilities
        (CrossEntropy(reduction="none", smoothing=True), Row(0, 0, B * T * (V + 1), (B, T))),
        # kept: input, state, and what the cell keeps of its gates
        (RNNStep(), Row(d_s * (d_in + d_s + 2), 2 * B * d_s * (d_in + d_s),
                        B * (d_in + 2 * d_s), (B, d_s))),
        (GRUStep(bias=False), Row(3 * d_s * (d_in + d_s), 6 * B * d_s * (d_in + d_s),
                                  B * (d_in + d_s + 3 * d_s + 3 * d_s), (B, d_s))),
        # three maps of inputs of their own width, and one more key and value
        (SourcedAttention(bias_kv=True, bias=True),
         Row(HIDDEN * (2 * d + d_key + d_val + 5) + d,
             2 * B * HIDDEN * (2 * T * d + S * (d_key + d_val) + 2 * T * (S + 1)),
             B * (T * d + S * d_key + S * d_val + T * HIDDEN + 2 * (S + 1) * HIDDEN
                  + h * T * (S + 1) + T * HIDDEN), (B, T, d))),
    ],
    ids=repr,
)  # fmt: skip
def test_counts(component, row):
    assert_row(component, row)


def test_a_cell_of_long_short_term_memory_gives_its_state_and_what_it_shows():
    program = program_of(LSTMStep())
    assert [y.shape for y in program.outputs] == [(B, d_s), (B, d_s)]


def test_adaptive_pooling_takes_the_largest_of_each_tile():
    program = program_of(AdaptiveMaxPool2d())
    at = {B: 2, C: 3, H: 6, W: 8, H_o: 3, W_o: 2}
    x = np.random.default_rng(0).standard_normal((2, 3, 6, 8))
    (y,) = program.outputs
    found = Machine(at).run(program, {program.inputs[0]: x})[y]
    assert np.array_equal(found, x.reshape(2, 3, 3, 2, 2, 4).max(axis=(3, 5)))


def test_a_pixel_of_a_larger_image_comes_from_a_channel():
    program = program_of(PixelShuffle(C=Integer(1), u=Integer(2)))
    x = np.arange(16.0).reshape(1, 4, 2, 2)
    (y,) = program.outputs
    found = Machine({B: 1, H: 2, W: 2}).run(program, {program.inputs[0]: x})[y]
    assert found[0, 0].tolist() == [
        [0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15],
    ]  # fmt: skip


@pytest.mark.parametrize(("n", "length"), [(2, 4), (4, 2), (3, 7), (1, 3), (5, 5)])
def test_what_lies_between_neighbours_is_on_a_straight_line(n, length):
    program = program_of(Interpolation1d(T_o=Integer(length)))
    (y,) = program.outputs
    x = np.arange(n, dtype=float)[None, None] ** 2
    found = Machine({B: 1, C: 1, T: n}).run(program, {program.inputs[0]: x})[y]
    middles = (np.arange(length) + 0.5) * n / length - 0.5
    assert np.allclose(found[0, 0], np.interp(middles, np.arange(n), x[0, 0]))


def test_columns_are_laid_back_where_they_came_from():
    at = {B: 2, C: 3, H: 5, W: 4, K_h: 2, K_w: 3, **dict.fromkeys(SLIDES, 1), p_h: 0, p_w: 0}
    rng, there, back = np.random.default_rng(0), program_of(Unfold()), program_of(Fold())
    at |= {symbol: int(e.subs(at)) for symbol, e in there.definitions.items()}
    x, columns = rng.standard_normal((2, 3, 5, 4)), rng.standard_normal((2, 18, 8))
    (y,), (z,) = there.outputs, back.outputs
    unfolded = Machine(at).run(there, {there.inputs[0]: x})[y]
    folded = Machine(at).run(back, {back.inputs[0]: columns})[z]
    assert np.isclose((unfolded * columns).sum(), (folded * x).sum())
