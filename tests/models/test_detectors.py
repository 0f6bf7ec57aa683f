"""OWL, ViTPose and RT-DETR: what their heads and decoders learn and do, counted by hand."""

import pytest
from sympy import Integer

from symledger import derive
from symledger.errors import BadInput
from symledger.models.clip.model import ClipText
from symledger.models.owl.model import Owl
from symledger.models.resnet.model import ResNetD
from symledger.models.rt_detr.model import RTDetr
from symledger.models.vitpose.model import VitPose
from symledger.notation.calling import program_of
from symledger.readings.flops import contraction_flops
from symledger.readings.params import params
from symledger.sizes import (
    B,
    C_csp,
    C_i,
    C_in,
    E,
    H_i,
    H_p,
    L,
    L_dec,
    L_enc,
    L_img,
    L_u,
    P,
    T,
    T_img,
    W_i,
    W_p,
    Y,
    d,
    d_dec,
    d_exp,
    d_ff,
    d_img,
    f_img,
    h,
    n_lab,
    n_pt,
    n_q,
    u,
)
from tests.components.tables import assert_counts


def block(width, inside, biases=4):
    """Weights of a block: attention, network, two norms."""
    return 4 * width**2 + biases * width + 2 * width * inside + inside + 5 * width


def work(width, inside, rows, pairs):
    """FLOPs of a block on so many vectors, of which so many pairs see each other."""
    return rows * (8 * width**2 + 4 * width * inside) + 4 * pairs * width


@pytest.mark.parametrize("sure", [True, False])
def test_every_patch_is_compared_with_every_name(sure):
    text = ClipText(d_proj=d, projected=True)
    named = program_of(text)
    places, square = T_img - 1, C_in * P**2
    weights = params(named).total + square * d_img + d_img + T_img * d_img
    weights += L_img * block(d_img, f_img) + 6 * d_img + d_img * d + 1
    flops = contraction_flops(named).total.subs(B, B * n_lab) + 2 * B * places * square * d_img
    flops += L_img * work(d_img, f_img, B * T_img, B * T_img**2)
    flops += 2 * B * d_img * d + 2 * B * n_lab * B * d
    head = 2 * d_img**2 + 2 * d_img
    weights += d_img * d + d + 2 * (d_img + 1) + head + 4 * d_img + 4
    flops += 2 * B * places * (d_img * d + 2 * d_img + n_lab * d + 2 * d_img**2 + 4 * d_img)
    if sure:
        weights += head + d_img + 1
        flops += 2 * B * places * (2 * d_img**2 + d_img)
    model = Owl(sure=sure)
    assert_counts(model, weights, flops)
    assert T in contraction_flops(program_of(model)).total.free_symbols


@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("parted", [True, False])
def test_a_map_is_made_for_each_joint(parted, inner):
    places, square = H_p * W_p, C_in * P**2
    layer = block(d, d_ff)
    flops = 2 * B * places * square * d + L * work(d, d_ff, B * places, B * places**2)
    if parted:
        layer += (E - 1) * d_exp * (d_ff + 1)
        flops += L * 2 * B * places * (E - 1) * d_exp * d_ff
    weights = square * d + d + (places + 1) * d + L * layer + 2 * d + 9 * d * Y + Y
    flops += 2 * B * places * u**2 * 9 * d * Y
    assert_counts(VitPose(parted=parted, inner=inner, L_u=L_u), weights, flops)


def test_joints_may_be_found_by_transposed_convolutions():
    simple, classic = (program_of(VitPose(simple=kind)) for kind in (True, False))
    weights = params(classic).total - params(simple).total
    assert (weights - 16 * 256 * (d + 256) - 1024 - 256 * Y + 9 * d * Y).expand() == 0
    flops = contraction_flops(classic).total - contraction_flops(simple).total
    painted = 2 * B * H_p * W_p * 16 * 256 * (d + 4 * 256 + Y - 9 * u**2 * d * Y / 256 / 16)
    assert (flops - painted).expand() == 0


def unit(before, after, side=1):
    """Weights of a convolution and its norm."""
    return before * after * side**2 + 2 * after


@pytest.mark.parametrize("mapped", [0, 1])
def test_the_best_places_become_queries(mapped):
    seen = program_of(ResNetD(head=False, C_g=C_i[0] / 4, G=Integer(1)))
    weights, flops = params(seen).total, contraction_flops(seen).total
    places = [H_i[i] * W_i[i] for i in (2, 3, 4)]
    S, C, D = sum(places, Integer(0)), C_csp if mapped else d_img, d_img
    for width, n in zip(C_i[1:4], places, strict=True):
        weights += unit(width, D) + unit(D, d)
        flops += 2 * B * n * (width * D + D * d)
    weights += L_enc * block(D, f_img)
    flops += L_enc * work(D, f_img, B * places[2], B * places[2] ** 2)
    fused = 2 * unit(2 * D, C) + 3 * (unit(C, C, 3) + unit(C, C)) + mapped * unit(C, D)
    done = 4 * D * C + 30 * C**2 + mapped * C * D
    weights += 4 * fused + 2 * unit(D, D) + 2 * unit(D, D, 3)
    flops += 2 * B * done * (places[1] + places[0] + places[1] + places[2])
    flops += 2 * B * D**2 * (places[2] + places[1] + 9 * places[1] + 9 * places[2])
    guess = 2 * d**2 + 2 * d + 4 * d + 4
    weights += d**2 + 3 * d + d * Y + Y + guess + (Y + 1) * d
    flops += 2 * B * S * (3 * d**2 + d * Y + 4 * d)
    weights += 8 * d + 2 * d + 2 * d**2 + d
    looked = 9 * h * n_pt
    layer = block(d, d_dec) + 2 * d + 2 * d**2 + 2 * d + (d + 1) * looked + d * Y + Y + guess
    weights += L_dec * layer
    turn = work(d, d_dec, B * n_q, B * n_q**2) + 2 * B * n_q * (8 * d + 2 * d**2)
    turn += 2 * B * (S * d**2 + n_q * (d**2 + d * looked + d * Y + 2 * d**2 + 4 * d))
    assert_counts(RTDetr(mapped=mapped == 1, h_dec=h), weights, flops + L_dec * turn)


@pytest.mark.parametrize("sides", [{"H": 650}, {"W": 16}, {"H": 656, "W": 656}], ids=str)
def test_images_whose_maps_are_not_halves_of_each_other_are_refused(sides):
    """Maps of two sizes stand side by side: where one is not twice the other the class fails."""
    with pytest.raises(BadInput, match=r"_5 = ./32 .* is not a positive whole number"):
        derive("rt_detr", sides)
    assert derive("rt_detr", {"H": 672})["params"].value == derive("rt_detr")["params"].value
