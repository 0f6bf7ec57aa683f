"""The alphabet: every symbol that formulas are written in, with its one meaning.

A size is a SymPy symbol that knows what it stands for. All sizes are positive integers.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, Any

from sympy import Expr, Function, Integer, Symbol

from symledger.errors import DefinitionError
from symledger.languages.message import Word, word


class UnknownSize(DefinitionError, AttributeError):
    """A symbol that a definition takes from here, and that is not here."""


class Size(Symbol):  # type: ignore[misc]  # SymPy ships no types
    """A positive whole number with a name, a meaning and a LaTeX spelling.

    One that may be zero (a padding) has ``least`` 0: it is never the length of an axis.

    Raises:
        DefinitionError: the name is not an ASCII identifier, so that no formula could be read back.

    >>> Size("w", "window length").meaning
    'window length'
    """

    __slots__ = ("latex", "least", "meaning")
    latex: str
    least: int
    meaning: Word

    def __new__(cls, name: str, meaning: str = "", latex: str = "", least: int = 1) -> Size:
        """Make the symbol; two of the same name and the same least value are equal."""
        if not (name.isidentifier() and name.isascii()):
            raise DefinitionError(
                f"{name!r} cannot name a size: use ASCII letters, digits and _, as in d_model, and "
                "give latex= for how it is written."
            )
        sign = {"positive": True} if least else {"nonnegative": True}
        symbol: Size = Symbol.__xnew__(cls, name, integer=True, **sign)
        symbol.least = least
        symbol.meaning = word(f"symbol.{name}", meaning or name)
        symbol.latex = latex or latex_name(name)
        return symbol

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.name, self.meaning, self.latex, self.least), {}


class CommonDivisor(Function):  # type: ignore[misc]  # SymPy ships no types
    """The greatest common divisor of two sizes, once both are known.

    >>> CommonDivisor(Size("T"), Size("T_o")), CommonDivisor(Integer(12), Integer(8))
    (gcd(T, T_o), 4)
    """

    nargs = 2
    is_integer = True
    is_positive = True

    @classmethod
    def eval(cls, left: Expr, right: Expr) -> Expr | None:
        """Return it where both are numbers."""
        known = isinstance(left, Integer) and isinstance(right, Integer)
        return Integer(gcd(int(left), int(right))) if known else None

    def _sympystr(self, printer: Any) -> str:
        return f"gcd({', '.join(printer.doprint(arg) for arg in self.args)})"


@lru_cache(maxsize=None, typed=True)
def text_of(e: Expr) -> str:
    """Return an expression as SymPy writes it: most are asked for many times."""
    return str(e)


def latex_name(name: str) -> str:
    r"""Spell a Python name as LaTeX: one letter stays, the rest becomes an upright subscript.

    >>> print(latex_name("d_ff"), latex_name("V"), latex_name("window"))
    d_{\mathrm{ff}} V \mathit{window}
    """
    head, _, subscript = name.partition("_")
    base = head if len(head) == 1 else rf"\mathit{{{head}}}"
    if not subscript:
        return base
    inner = subscript.replace("_", r"\,")
    return f"{base}_{inner}" if len(inner) == 1 else rf"{base}_{{\mathrm{{{inner}}}}}"


B = Size("B", "batch: sequences (or rows) processed together")
T = Size("T", "tokens in a sequence; the query length in attention")
S = Size("S", "key length: positions that are attended to")
V = Size("V", "vocabulary size")
L = Size("L", "number of layers")
d = Size("d", "model width")
h = Size("h", "attention (query) heads")
h_kv = Size("h_kv", "key/value heads")
d_h = Size("d_h", "head width")
d_k = Size("d_k", "width of a query and a key in one head")
d_v = Size("d_v", "width of a value in one head")
d_e = Size("d_e", "width of a token's row in the table, where it is not the model's")
d_ple = Size("d_ple", "numbers that a token has for each layer by itself")
V_ple = Size("V_ple", "rows of the table of what tokens have for each layer")
d_g = Size("d_g", "head width of layers that see everything, where others have another")
h_g = Size("h_g", "key/value heads of layers that see everything, where others have another number")
d_hw = Size("d_hw", "head width of layers with a window, without what is turned by the position")
d_vw = Size("d_vw", "width of a value of layers with a window")
d_cw = Size("d_cw", "latent width of keys and values of layers with a window")
d_qw = Size("d_qw", "latent width of queries of layers with a window")
d_rw = Size("d_rw", "elements of a head that are turned by its position, in layers with a window")
L_s = Size("L_s", "last layers, which use keys and values of earlier ones")
L_sw = Size("L_sw", "of those, layers that see a window only")
n_s = Size("n_s", "residual streams: vectors that every token has in all layers")
n_n = Size("n_n", "how many times more rows and columns of a matrix are divided by their sums")
L_z = Size("L_z", "layers that see everything and keep few of their network's hidden values")
L_zw = Size("L_zw", "layers that see a window and keep few of their network's hidden values")
n_key = Size("n_key", "halves of keys, of which pairs are the keys of experts")
n_m = Size("n_m", "blocks of attention that several layers use in turn")
n_i = Size("n_i", "heads of an indexer")
d_x = Size("d_x", "head width of an indexer")
L_x = Size("L_x", "number of layers that have an indexer")
L_xd = Size("L_xd", "number of layers that have an indexer and no experts")
r_c = Size("r_c", "compression rate: positions after which another key is made of them")
r_x = Size("r_x", "compression rate of layers that have an indexer, where others have another")
S_c = Size("S_c", "compressed keys of a sequence")
S_x = Size("S_x", "compressed keys of a sequence in layers that have an indexer")
S_p = Size("S_p", "compressed keys of what was met before", least=0)
d_ff = Size("d_ff", "hidden width of the feed-forward network")
d_in = Size("d_in", "input width")
d_out = Size("d_out", "output width")
d_1 = Size("d_1", "width of the first input")
d_2 = Size("d_2", "width of the second input")
d_key = Size("d_key", "width of what keys are mapped from")
d_val = Size("d_val", "width of what values are mapped from")
d_s = Size("d_s", "width of a recurrent state")
d_p = Size("d_p", "width that a recurrent state is projected to")
T_max = Size("T_max", "context window: positions in a learned table")
L_enc = Size("L_enc", "number of layers of the encoder")
L_dec = Size("L_dec", "number of layers of the decoder")
L_g = Size("L_g", "groups of layers that share their weights")
L_in = Size("L_in", "layers with weights of their own in a group")
h_dec = Size("h_dec", "heads of the decoder's attention")
k_dec = Size("k_dec", "key/value heads of the decoder's attention")
V_dec = Size("V_dec", "number of tokens in the decoder's vocabulary")
d_dec = Size("d_dec", "hidden width of the decoder's feed-forward networks")
V_seg = Size("V_seg", "number of segments that a token may belong to")
d_r = Size("d_r", "rank: the inner width of a low-rank map")
w = Size("w", "window: positions that a query sees in a direction, its own included")
w_max = Size("w_max", "the longest window: what a query sees where there are as many positions")
S_w = Size("S_w", "positions that are attended to where none is further away than a window")
S_max = Size("S_max", "positions of a static cache, seen or not")
L_w = Size("L_w", "number of layers that see a window only")
h_w = Size("h_w", "query heads of layers that see a window only")
h_kw = Size("h_kw", "key/value heads of layers that see a window only")
d_rt = Size("d_rt", "numbers that a router says of a token, and hands on")
d_rel = Size("d_rel", "numbers by which a head of a token says how much each distance counts")
d_rot = Size("d_rot", "how much of a head's width is turned by the position")
d_c = Size("d_c", "width of the latent vector that keys and values are mapped from")
d_q = Size("d_q", "width of the latent vector that queries are mapped from")
n_b = Size("n_b", "buckets of distances")
N_prm = Size("N_prm", "tasks, each with a prompt of learned vectors")
T_prm = Size("T_prm", "learned vectors that stand before the tokens")
n_r = Size("n_r", "rows of a table of distances")
N_hi = Size("N_hi", "high cycles: how often the slow stack is run, before those of N_all if any")
N_lo = Size("N_lo", "low cycles: how often the fast stack is run in each high cycle")
N_bp = Size("N_bp", "low cycles that gradients go back through, those of all high cycles together")
N_all = Size("N_all", "high cycles at the end of which gradients go back through all low ones")
T_k = Size("T_k", "tokens that a decoder has met, the new ones included")
E = Size("E", "routed experts")
k = Size("k", "routed experts that a token is sent to")
d_exp = Size("d_exp", "hidden width of one expert, where other networks have another")
d_sh = Size("d_sh", "hidden width of the shared expert")
L_n = Size("L_n", "number of layers that are told no positions")
L_nd = Size("L_nd", "number of layers that are told no positions and have no experts")
L_d = Size("L_d", "number of layers that have one network in place of experts")
L_wd = Size("L_wd", "number of layers that see a window only and have no experts")
L_a = Size("L_a", "number of layers that attend, where others mix tokens in another way")
L_f = Size("L_f", "layers of a feed-forward network alone; of an image encoder, those that see all")
L_e = Size("L_e", "number of layers that are a mixture of experts alone")
d_l = Size("d_l", "width that experts act in, where it is not the model's")
L_ad = Size("L_ad", "number of layers that attend and have no experts")
E_s = Size("E_s", "shared experts, which every token is sent to")
E_all = Size("E_all", "experts that a router chooses among, those that compute nothing included")
d_i = Size("d_i", "inner width of a state-space mixer: its channels")
h_s = Size("h_s", "heads of a state-space mixer, where attention has others")
d_hs = Size("d_hs", "width of a head of a state-space mixer, where attention has another")
h_q = Size("h_q", "heads of queries and keys of linear attention")
h_v = Size("h_v", "heads of values of linear attention")
Q = Size("Q", "positions in a chunk")
n_c = Size("n_c", "chunks that a sequence is cut into, the last one filled up")
T_e = Size("T_e", "tokens that one expert is given")
N = Size("N", "tokens of all sequences in one list")
n = Size("n", "length of the last axis, whatever it holds")

C = Size("C", "channels")
C_in = Size("C_in", "input channels")
C_out = Size("C_out", "output channels")
G = Size("G", "groups that the channels are divided into")
D = Size("D", "depth of a volume; frames of a clip")
H = Size("H", "height of an image")
W = Size("W", "width of an image")
T_o = Size("T_o", "positions of the result along a sequence")
T_n = Size("T_n", "positions that the tiles of a sequence have, those of several counted in each")
D_o = Size("D_o", "depth of the result")
D_n = Size("D_n", "slices that the tiles of a volume have, those of several counted in each")
H_o = Size("H_o", "height of the result")
H_n = Size("H_n", "rows that the tiles have, those of several counted in each")
W_o = Size("W_o", "width of the result")
W_n = Size("W_n", "columns that the tiles have, those of several counted in each")
K = Size("K", "length of the kernel")
K_g = Size("K_g", "length of the kernel that sees all channels of a head, behind another one")
K_d = Size("K_d", "depth of the kernel")
K_h = Size("K_h", "height of the kernel")
K_w = Size("K_w", "width of the kernel")
s = Size("s", "stride: how far apart windows start")
s_d = Size("s_d", "stride in depth")
s_h = Size("s_h", "stride down")
s_w = Size("s_w", "stride across")
p = Size("p", "padding on either side", least=0)
p_d = Size("p_d", "padding in front and behind", least=0)
p_h = Size("p_h", "padding above and below", least=0)
p_w = Size("p_w", "padding left and right", least=0)
e = Size("e", "padding at the end, where p is that at the beginning", least=0)
e_d = Size("e_d", "padding behind, where p_d is that in front", least=0)
e_h = Size("e_h", "padding below, where p_h is that above", least=0)
e_w = Size("e_w", "padding at the right, where p_w is that at the left", least=0)
r = Size("r", "dilation: how far apart the elements of a window are")
r_d = Size("r_d", "dilation in depth")
r_h = Size("r_h", "dilation down")
r_w = Size("r_w", "dilation across")
q = Size("q", "positions added at the end alone", least=0)
q_d = Size("q_d", "slices added behind alone", least=0)
q_h = Size("q_h", "rows added below alone", least=0)
q_w = Size("q_w", "columns added at the right alone", least=0)
u = Size("u", "how many times as high and as wide an image becomes")
Y = Size("Y", "classes to tell apart")
P = Size("P", "side of the square patches that an image is cut into")
H_p = Size("H_p", "patches down")
W_p = Size("W_p", "patches across")
t = Size("t", "expansion: how many times as wide a block is inside")
C_g = Size("C_g", "channels of one group of a bottleneck in the first stage")
C_s = Size("C_s", "numbers that the means of all channels are squeezed to")
C_i = tuple(Size(f"C_{i}", f"channels of stage {i}") for i in range(1, 9))
L_i = tuple(Size(f"L_{i}", f"blocks of stage {i}") for i in range(1, 8))
h_i = tuple(Size(f"h_{i}", f"heads of stage {i}") for i in range(1, 5))
L_p = tuple(Size(f"L_p{i}", f"pairs of blocks of stage {i}", least=0) for i in range(1, 5))
REDUCED = tuple(f"after {i} reduction{'s' * (i > 1)}" for i in range(1, 7))
H_i = tuple(Size(f"H_{i}", f"height of the image {s}") for i, s in enumerate(REDUCED, 1))
W_i = tuple(Size(f"W_{i}", f"width of the image {s}") for i, s in enumerate(REDUCED, 1))
"""Sizes of stages: the first is that of stage 1, or after one reduction."""
M = Size("M", "side of the square windows of an image that see themselves alone")
M_i = tuple(
    Size(f"M_{i}", f"side of the square windows of stage {i}") for i in range(1, 5)
)
H_w = Size("H_w", "windows down, the last filled up")
W_w = Size("W_w", "windows across, the last filled up")
r_i = tuple(
    Size(f"r_{i}", f"side of the squares of places in stage {i} that one key is made of")
    for i in range(1, 5)
)
f_i = tuple(Size(f"f_{i}", f"hidden width of the networks of stage {i}") for i in range(1, 5))
H_ri = tuple(Size(f"H_r{i}", f"squares of places down in stage {i}") for i in range(1, 5))
W_ri = tuple(Size(f"W_r{i}", f"squares of places across in stage {i}") for i in range(1, 5))
G_i = tuple(Size(f"G_{i}", f"groups of the channels of stage {i}") for i in range(1, 5))
C_si = tuple(
    Size(f"C_s{i}", f"numbers that means of channels are squeezed to behind stage {i}")
    for i in range(5)
)
T_s = Size("T_s", "patches that are seen, where others are hidden")
C_csp = Size("C_csp", "channels of what fuses maps of two sizes, inside")
n_lab = Size("n_lab", "names that are looked for in an image")
n_prm = Size("n_prm", "prompts for an image, each of which asks for masks")
n_pnt = Size("n_pnt", "vectors of a prompt: one for a point and one behind, or two for a box")
n_msk = Size("n_msk", "masks that are drawn for a prompt")
d_iou = Size("d_iou", "hidden width of what says how good a mask is")
C_msk = Size("C_msk", "channels of a mask that is given as a prompt")
P_t = Size("P_t", "frames of a film that a block of its patches has")
D_p = Size("D_p", "blocks of frames that a film is cut into")
d_hd = Size("d_hd", "head width of a decoder that draws what was hidden")
d_drw = Size("d_drw", "model width of a decoder that draws what was hidden")
H_wi = tuple(Size(f"H_w{i}", f"windows down in stage {i}") for i in range(1, 5))
W_wi = tuple(Size(f"W_w{i}", f"windows across in stage {i}") for i in range(1, 5))
d_proj = Size("d_proj", "width of a projection, as to the space that images and texts share")
d_f = Size("d_f", "sines and cosines that a step of the diffusion is written in")
d_img = Size("d_img", "model width of the image encoder")
L_img = Size("L_img", "layers of the image encoder")
h_img = Size("h_img", "heads of the image encoder")
f_img = Size("f_img", "hidden width of the image encoder's feed-forward networks")
T_img = Size("T_img", "vectors of an image: its patches and one more")
d_ctx = Size("d_ctx", "width of what a picture is conditioned on")
n_img = Size("n_img", "images in a sequence")
T_tok = Size("T_tok", "positions of a sequence that one image fills")
L_u = Size("L_u", "last layers of the image encoder, which nothing reads")
g = Size("g", "side of the square groups of vectors that are made one")
H_g = Size("H_g", "groups of patches down")
W_g = Size("W_g", "groups of patches across")
T_reg = Size("T_reg", "learned vectors beside the class vector that belong to no place")
L_r = Size("L_r", "layers of the image encoder whose vectors are read besides the last")
L_v = Size("L_v", "layers of the image encoder whose vectors are read")
N_t = Size("N_t", "pictures that an image is seen as: all of it, and its tiles")
N_f = Size("N_f", "frames of films in a sequence")
N_ar = Size("N_ar", "shapes that an image of several tiles may have, and none")
T_z = Size("T_z", "zeros behind the vectors of a tile, up to a multiple of eight", least=0)
L_gl = Size("L_gl", "layers at the end of the image encoder, whose parts are gated")
S_img = Size("S_img", "vectors of images that are attended to")
L_ca = Size("L_ca", "layers that attend to images, in place of the words before")
T_vis = Size("T_vis", "vectors of an image's tiles that are kept")
H_k = Size("H_k", "rows that the vectors of an image's tiles stand in")
L_lat = Size("L_lat", "layers in which learned vectors look at an image")
h_lat = Size("h_lat", "heads of learned vectors that look at an image")
k_lat = Size("k_lat", "key/value heads of learned vectors that look at an image")
d_lat = Size("d_lat", "width of a head of learned vectors that look at an image")
V_img = Size("V_img", "visual words: rows of the table that images are looked up in")
N_ind = Size("N_ind", "visual words that stand for the ends of images, and for no part of one")
N_q = Size("N_q", "learned vectors that look at an image")
L_ai = Size("L_ai", "layers of the image encoder that attend, where others convolve")
h_ki = Size("h_ki", "key/value heads of the image encoder")
K_img = Size("K_img", "side of the windows of the image encoder's convolutions")
d_ri = Size("d_ri", "how much of a head's width is turned in the image encoder")
L_b = Size("L_b", "layers of the image encoder before four patches are made one")
n_q = Size("n_q", "learned queries that look at an image, of what finds objects one for each")
n_lev = Size("n_lev", "levels: images of different sizes that are looked at together")
n_pt = Size("n_pt", "places that a head looks at on each level")
C_fpn = Size("C_fpn", "channels of the maps that are fused, the smallest one first")
G_fpn = Size("G_fpn", "groups of channels of those maps, normalized together")
d_msk = Size("d_msk", "numbers of a place, whose products with those of a query are its mask")
n_ptd = Size("n_ptd", "places that a head of the decoder looks at on each level")
d_qf = Size("d_qf", "width of learned queries that read an image")
L_qf = Size("L_qf", "layers of what lets learned queries read an image")
L_qx = Size("L_qx", "of those, layers that attend to the image")
h_qf = Size("h_qf", "heads of attention of learned queries")
f_qf = Size("f_qf", "hidden width of the networks of learned queries")
T_ins = Size("T_ins", "words of an instruction that learned queries are told")
V_ins = Size("V_ins", "vocabulary of the instructions that learned queries are told")
N_ins = Size("N_ins", "places that the words of such an instruction may have")
f_g = Size("f_g", "hidden width of the network behind the image encoder's groups of patches")
T_w = Size("T_w", "samples of a sound")
SHORTENED = tuple(f"the sound after {i} shortening{'s' * (i > 1)}" for i in range(1, 7))
T_i = tuple(Size(f"T_{i}", f"positions of {s}") for i, s in enumerate(SHORTENED, 1))
T_f = Size("T_f", "frames of a spectrum")
K_c = Size("K_c", "windows of the convolutions inside blocks, where others have another length")
d_snd = Size("d_snd", "model width of the encoder of sounds")
L_snd = Size("L_snd", "layers of the encoder of sounds")
h_snd = Size("h_snd", "heads of the encoder of sounds")
f_snd = Size("f_snd", "hidden width of the networks of the encoder of sounds")
S_snd = Size("S_snd", "positions of a sound in its encoder")
n_snd = Size("n_snd", "sounds in a sequence")
k_snd = Size("k_snd", "key/value heads of the encoder of sounds")
e_snd = Size("e_snd", "head width of the encoder of sounds")
Q_f = Size("Q_f", "frames in a chunk of a spectrum")
Q_s = Size("Q_s", "positions that a chunk of a spectrum leaves")
n_cw = Size("n_cw", "chunks of a spectrum that see each other, a window")
n_win = Size("n_win", "windows that a sound is cut into")
L_ts = Size("L_ts", "last layers of the encoder of sounds, behind a norm of their own")
L_apt = Size("L_apt", "layers of the adaptor of sounds")
h_apt = Size("h_apt", "heads of the adaptor of sounds")
f_apt = Size("f_apt", "hidden width of the networks of the adaptor of sounds")
f_prj = Size("f_prj", "hidden width of the projector of sounds")
g_snd = Size("g_snd", "vectors of a sound that are joined to one")
w_snd = Size("w_snd", "window of the encoder of sounds: positions that a query sees")
w_smx = Size("w_smx", "the longest window of the encoder of sounds")
n_pos = Size("n_pos", "places along a side of a page")
T_u = Size("T_u", "words written so far, each of which is joined with every frame")
n_dur = Size("n_dur", "durations that are scored beside words")
c_snd = Size("c_snd", "channels of convolutions inside blocks of the encoder of sounds")
V_snd = Size("V_snd", "letters that the encoder of sounds guesses half-way")
L_mid = Size("L_mid", "layers of the encoder of sounds before it guesses letters")
L_rd = Size("L_rd", "layers of the encoder of sounds whose vectors are read besides the last")
w_qf = Size("w_qf", "vectors of a sound that learned queries read at once")
T_q = Size("T_q", "positions that attention is given, where sounds are squeezed before it")
VISION = (
    *(C_s, P, H_p, W_p, t, C_g, *C_i, *L_i, *H_i, *W_i),
    *(d_proj, d_f, d_img, L_img, h_img, f_img, T_img, d_ctx),
    *(n_img, T_tok, L_u, g, H_g, W_g, L_f, L_r, T_reg, f_g),
    *(L_v, N_t, N_f, N_ar, T_z, L_gl, L_ca, S_img, T_vis, H_k),
    *(N_q, L_lat, h_lat, k_lat, d_lat, V_img, N_ind),
    *(L_ai, h_ki, K_img, d_ri, L_b, n_q, d_qf, L_qf, L_qx, h_qf, f_qf, T_ins, V_ins, N_ins),
    *(*h_i, *L_p, M, *M_i, H_w, W_w, *H_wi, *W_wi),
    *(*r_i, *f_i, *H_ri, *W_ri, *G_i, *C_si),
    *(T_s, d_drw, d_hd, P_t, D_p, C_csp, n_lab, n_prm, n_pnt, n_msk, d_iou, C_msk),
)
IMAGES = (
    *(C, C_in, C_out, G, H, W, T_o, H_o, W_o, K, K_h, K_w, s, s_h, s_w, p, p_h, p_w, r, r_h, r_w),
    *(q_h, q_w, Y, q, D, D_o, K_d, s_d, p_d, r_d, q_d, e, e_d, e_h, e_w),
)

ORDER: tuple[Size, ...] = (
    *(B, T, S, V, L, d, h, h_kv, d_h, d_k, d_v, d_ff, d_in, d_out, d_s, d_p, T_max),
    *IMAGES,
    *VISION,
    *(L_enc, L_dec, V_seg, d_r, w, w_max, d_rot, d_e, n_b, E, k, E_s, d_1, d_2, d_key, d_val, u),
    *(S_w, S_max, L_w, L_n, L_d, L_wd, d_exp, d_sh),
    *(d_c, d_q, d_i, Q, n_c),
    *(L_g, L_in, n_r, T_k, h_dec, k_dec, V_dec, d_dec, d_ple, V_ple, d_g, h_g, L_s, L_sw),
    *(n_i, d_x, L_x, L_xd, n_m, n_key),
    *(T_e, N, n),
    *(T_w, *T_i, T_q, n_pos, T_f, K_c, d_snd, L_snd, h_snd, f_snd, S_snd, n_snd),
    *(k_snd, e_snd, Q_f, Q_s, n_cw, n_win, L_ts, L_apt, h_apt, f_apt, f_prj, g_snd),
    *(w_snd, w_smx),
    *(n_s, L_z, L_zw, n_n),
    *(r_c, r_x, S_c, S_x, S_p),
    *(N_prm, T_prm, N_hi, N_lo, N_bp, N_all),
)
"""The order in which symbols are listed; what is not named here comes after them."""
DECLARED = tuple(symbol for symbol in list(globals().values()) if isinstance(symbol, Size))
ALPHABET: tuple[Size, ...] = tuple(dict.fromkeys((*ORDER, *DECLARED)))
BY_NAME: dict[str, Size] = {symbol.name: symbol for symbol in ALPHABET}


if not TYPE_CHECKING:  # a type checker is to find it by itself

    def __getattr__(name: str) -> Size:
        """Refuse a symbol that is not there, and say how to declare it."""
        raise UnknownSize(
            f"there is no size {name} in symledger/sizes.py: declare it there, "
            f'as in {name} = Size("{name}", "what it counts").'
        )


def named(name: str) -> Size:
    """Return the alphabet's symbol of that name, or a new one that means only its name."""
    return BY_NAME.get(name) or Size(name)


def meaning(symbol: Symbol) -> Size:
    """Return a symbol as one that knows its meaning."""
    return symbol if isinstance(symbol, Size) else named(symbol.name)
