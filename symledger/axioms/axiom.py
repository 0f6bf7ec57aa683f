"""The base of the axioms: a program as small as it can be, to read the rules of an operation off.

What an operation costs, how it is pulled back, what is kept of it and which storage it shares is
nowhere stated here: it is read off these programs as off every other, and checked like them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from symledger.ir.tensor import Tensor
from symledger.notation.component import Component


class Axiom(Component):
    """A program about ``ops``: the operations that it shows, forward or pulled back.

    ``about`` are the names under which mutants of its rules are recorded.
    """

    ops: ClassVar[tuple[type[Any], ...]] = ()
    about: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def shows(cls, t: Tensor) -> bool:
        """Whether a tensor of some program is made by what this axiom is about."""
        return isinstance(t.op, cls.ops)
