"""A traced module as a component: its program is that of its graph, its definitions the trace's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Integer

from symledger.errors import BadInput, SymledgerError
from symledger.ir.tensor import Program
from symledger.notation.component import Component
from symledger.sizes import Size, named
from symledger.traces.graph import Traced
from symledger.traces.lowering import program_of


@dataclass(frozen=True, eq=False)
class TracedModule(Component):
    """What a module of PyTorch computes, as it was recorded."""

    traced: Traced

    def decided(self) -> Mapping[Size, Expr]:
        """Return the sizes that others decide."""
        return {named(name): e for name, e in self.traced.definitions.items()}

    def program(self, name: str) -> Program:
        """Build the program of the graph.

        Raises:
            BadInput: something in it is not understood, or it is no graph of a module at all.
        """
        points = tuple(map(self._valued, self.traced.points))
        try:
            return program_of(self.traced.graph, self, name, points)
        except SymledgerError:
            raise
        except Exception as error:  # a file may hold any operation with any arguments
            said = f"{type(error).__name__} {error}".strip()
            raise BadInput(
                f"an operation of this trace has arguments that it cannot have: {said}."
            ) from error

    def _valued(self, point: Mapping[str, int]) -> dict[Expr, int]:
        """Return a point with the values of the sizes that others decide."""
        values: dict[Expr, Expr] = {named(name): Integer(n) for name, n in point.items()}
        for name, e in self.traced.definitions.items():
            values[named(name)] = e.xreplace(values)
        return {s: int(n) for s, n in values.items()}
