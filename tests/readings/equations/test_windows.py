"""Windows in equations: where an element of a window stands, and what stands outside."""

import pytest
from sympy import Integer

from symledger.components.convolution.convolution import Conv1d
from symledger.components.convolution.pooling import MaxPool2d
from symledger.components.convolution.transposed import ConvTranspose2d
from symledger.components.convolution.windowed import square
from symledger.notation.calling import program_of
from symledger.readings.equations.sheet import LATEX, TEXT, backward_equations, equations
from symledger.readings.pullback import pullback

PLAIN = Conv1d(s=Integer(1), p=Integer(0), r=Integer(1), G=Integer(1), bias=False)
SEEN = (
    "{{x_{b, c, 2 i + k - 1, 2 j + l - 1} if 0 ≤ 2 i + k - 1 < H; -∞ otherwise} "
    "if 0 ≤ 2 j + l - 1 < W; -∞ otherwise}"
)
PADDED = MaxPool2d(**square(3, stride=2, padding=1))


@pytest.mark.parametrize(
    ("component", "notation", "forward", "backward"),
    [
        (PLAIN, TEXT, ["y_bot = Σ_{c, k} x_{b, c, t + k} F_ock"],
         ["∂x_bct = Σ_{i, k} [i + k = t] Σ_o ∂y_boi F_ock",
          "∂F_ock = Σ_{b, t} x_{b, c, t + k} ∂y_bot"]),
        (Conv1d(bias=False), TEXT,
         ["y_{b(go)t} = Σ_{c, k} [0 ≤ s t + r k - p < T] x_{b, (gc), s t + r k - p} F_{(go)ck}"],
         ["∂x_{b(gc)t} = Σ_{i, k} [s i + r k - p = t] Σ_o ∂y_{b(go)i} F_{(go)ck}",
          "∂F_{(go)ck} = Σ_{b, t} [0 ≤ s t + r k - p < T] x_{b, (gc), s t + r k - p} "
          "∂y_{b(go)t}"]),
        (PLAIN, LATEX, [r"y_{b o t} = \sum_{c, k} x_{b, c, t + k} F_{o c k}"],
         [r"\partial x_{b c t} = \sum_{i, k} [i + k = t] \sum_{o} \partial y_{b o i} F_{o c k}",
          r"\partial F_{o c k} = \sum_{b, t} x_{b, c, t + k} \partial y_{b o t}"]),
        (ConvTranspose2d(**square(1), G=Integer(1), bias=False), TEXT,
         ["y_{boij} = Σ_k [k = i] Σ_l [l = j] Σ_c x_{bckl} F_co"],
         ["∂x_{bcij} = Σ_o ∂y_{boij} F_co", "∂F_co = Σ_{b, i, j} x_{bcij} ∂y_{boij}"]),
        (PADDED, TEXT,
         [f"place_{{bcij}} = argmax_{{(kl)}} {SEEN}", f"y_{{bcij}} = max_{{(kl)}} {SEEN}"],
         ["∂x_{bchw} = Σ_{i, k} [2 i + k - 1 = h] Σ_{j, l} [2 j + l - 1 = w] "
          "[place_{bcij} = (kl)] ∂y_{bcij}"]),
    ],
    ids=["plain", "general", "latex", "painted", "padded"],
)  # fmt: skip
def test_windows_are_written(component, notation, forward, backward):
    program = program_of(component)
    assert [str(e) for e in equations(program, notation=notation)] == forward
    assert [str(e) for e in backward_equations(pullback(program), notation)] == backward
