"""What checks do on purpose for the pages: wrong steps of differences, mistakes to be found.

A central difference is off by its step squared, until rounding takes over: the curve tells a
right gradient from a wrong one, whose error stays where it is. A mistake of a text is made in the
program, and the checks are asked which of them finds it.
"""

from __future__ import annotations

from itertools import islice

from symledger.accounts.account import Account
from symledger.catalogue.text_places import said_by
from symledger.catalogue.texts import Mistake, text_of
from symledger.checks import gradients
from symledger.checks.mutants import mistakes
from symledger.checks.mutants.rewriting import Change, Rewriting
from symledger.checks.runner import examine
from symledger.checks.sampling import sizes_for
from symledger.checks.trial import Trial
from symledger.errors import BadInput
from symledger.evidence.comparison import worst_of
from symledger.evidence.demonstrations import Demonstration, Found, Steps, fingerprint
from symledger.ir.tensor import Program, Pullback, Tensor

STEPS = tuple(10.0**-n for n in range(1, 13))


def demonstrated(account: Account) -> Demonstration:
    """Return errors by step for a target, and which check finds each mistake of its text.

    Raises:
        BadInput: a mistake of the text cannot be made, or no check finds it.
    """
    program, back = account.program, account.readings.back
    trial = Trial(program, back, sizes_for(program))
    bugs = text_of(account.target.name).bugs
    with said_by(account.target.name):
        found = {str(b.mistake): _found(account, b.mistake) for b in bugs if b.mistake}
    if not trial.varied:
        return Demonstration(fingerprint(account), trial.point, trial.seed, mistakes=found)
    analytic = gradients.error_of_complex_step(trial)
    return Demonstration(
        fingerprint(account), trial.point, trial.seed, _steps(trial),
        "" if analytic is None else worst_of([analytic]), found,
    )  # fmt: skip


def _steps(trial: Trial) -> Steps:
    errors = gradients.errors_by_step(trial, STEPS)
    return tuple((f"{h:.0e}", worst_of([e])) for h, e in zip(STEPS, errors, strict=True))


def _found(account: Account, mistake: Mistake) -> Found:
    """Make a mistake, and return what the first check says that refuses it."""
    program, back = account.program, account.readings.back
    rewriting = Rewriting(*_made(program, back, mistake))
    wrong = rewriting.program(program)
    alone = None if mistake.where == "definition" else rewriting.pullback(back, wrong)
    for evidence in examine(wrong, alone, quick=True):
        if not evidence.passed:
            slopes = alone and evidence.kind == "finite differences"
            steps = _steps(Trial(wrong, alone, sizes_for(wrong))) if alone and slopes else ()
            return Found(
                evidence.quantity, evidence.claim, len(evidence.points), evidence.detail, steps
            )
    raise BadInput(f"no check of {account.target.name} finds {mistake}: is it one?")


def _made(
    program: Program, back: Pullback, mistake: Mistake
) -> tuple[Tensor, Change]:
    tensors = back.tensors if mistake.where == "backward" else program.tensors
    possible = mistakes.in_definitions if mistake.where == "definition" else mistakes.in_programs
    known = [(t, m) for t in tensors for m in possible(t)]
    fitting = (
        (t, m.change) for t, m in known
        if m.kind == mistake.kind and mistake.inside in (None, ".".join(t.scope.path))
    )  # fmt: skip
    made = next(islice(fitting, mistake.number - 1, None), None)
    if made is None:
        there = dict.fromkeys(f'{m.kind} in "{".".join(t.scope.path)}"' for t, m in known)
        raise BadInput(f"there is no {mistake}; known: {', '.join(there)}.")
    return made
