"""What both passes leave behind: what entered, and its gradient, each in a storage of its own."""

from __future__ import annotations

from symledger.ir.tensor import Program, Pullback
from symledger.readings.live.held import END, Application, until
from symledger.readings.live.timeline import ONCE, Timeline


class Ended(Timeline):
    """The end of both passes, however they were run: no step of theirs is walked."""

    def __init__(self, program: Program, pull: Pullback) -> None:
        """Hold what entered, and the gradient of that, to the end."""
        self.program = program
        self.remembering = False
        self.steps, self.held, self.turn = [], [], 0
        self.whole = Application(ONCE)
        gradients = (pull.gradients[x] for x in program.inputs if x in pull.gradients)
        for t in (*program.inputs, *gradients):
            until((self._hold(t, self.whole),), END)
