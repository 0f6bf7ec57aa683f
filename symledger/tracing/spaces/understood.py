"""Operations that no rule is about, told as soon as a module has run once."""

from __future__ import annotations

from symledger.traces.graph import LEAVES, TABLE
from symledger.traces.lowering import NO_RULE, load_rules
from symledger.traces.rules.table import COMPLEX, RULES, At
from symledger.tracing.folds.graphs import PASSING
from symledger.tracing.runs.recording import Recording


def check_understood(recording: Recording) -> None:
    """Refuse the first operation that no rule is about, before the module is run at other sizes.

    Raises:
        BadInput: there is one; which, and where.
    """
    load_rules()
    for step in recording.steps:
        if step.operation not in (*LEAVES, TABLE, *PASSING, *RULES, *COMPLEX):
            raise At(step.operation, (), step.path, step.line).refused(NO_RULE)
