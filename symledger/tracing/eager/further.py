"""The peaks of a saved trace, compared with what its module has in memory at a further point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sympy import Expr

from symledger.traces.checked import ALIVE, Checked
from symledger.traces.graph import Traced
from symledger.tracing.eager.moments import other_peak
from symledger.tracing.eager.running import lived
from symledger.tracing.spaces.space import Space

CLAIM = "the most bytes alive in each pass, as PyTorch runs it"


def compared(
    traced: Traced, space: Space, at: Mapping[str, int], values: Mapping[Expr, Expr]
) -> Iterator[Checked]:  # fmt: skip
    """Compare the peaks of each pass at a point; ``values`` are its sizes by their symbols."""
    for eager in traced.eager:
        run = lived(space, at, eager.how)
        wrong = other_peak(eager.moments, values, run)
        if wrong:
            yield Checked(ALIVE, CLAIM, 1, "", False, wrong)
            return
    if traced.eager:
        yield Checked(ALIVE, CLAIM, 1)
