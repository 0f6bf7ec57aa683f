"""Components run at small sizes, and what a window shows of an image."""

import numpy as np

from symledger.notation.calling import program_of
from symledger.readings.numpy.interpreter import Machine
from symledger.sizes import named


def value(component, sizes, x):
    """What a component without weights makes of an array."""
    program = program_of(component)
    return Machine(sizes).run(program, {program.inputs[0]: x})[program.outputs[0]]


AT = {"B": 2, "C_in": 4, "C_out": 6, "C": 4, "G": 2, "H": 7, "W": 9, "K_h": 3, "K_w": 2,
      "s_h": 2, "s_w": 3, "p_h": 1, "p_w": 0, "r_h": 1, "r_w": 2}  # fmt: skip


def run(component, **changed):
    """The sizes, the input, the weights and the result of a run at AT."""
    program = program_of(component)
    at = {named(name): n for name, n in {**AT, **changed}.items()}
    at |= {symbol: int(e.subs(at)) for symbol, e in program.definitions.items()}
    rng, machine = np.random.default_rng(1), Machine(at)
    leaves = {t: rng.standard_normal(machine.shape(t.shape))
              for t in (*program.inputs, *program.params)}  # fmt: skip
    (y,) = program.outputs
    arrays = {t.op.name: a for t, a in leaves.items()}
    return {s.name: n for s, n in at.items()}, arrays, machine.run(program, leaves)[y]


def padded(x, n, fill=0.0):
    around = ((0, 0), (0, 0), (n["p_h"],) * 2, (n["p_w"],) * 2)
    return np.pad(x, around, constant_values=fill)


def patch(x, n, i, j):
    """The elements that the window at (i, j) shows."""
    down = i * n["s_h"] + np.arange(n["K_h"]) * n["r_h"]
    across = j * n["s_w"] + np.arange(n["K_w"]) * n["r_w"]
    return x[:, :, down][..., across]
