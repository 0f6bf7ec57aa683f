"""Exercises: the ledger works them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from symledger.catalogue.text_places import said_by
from symledger.catalogue.texts import Exercise
from symledger.site.html import maths
from symledger.site.kinds.component.numbers import in_units, is_rounded, shown
from symledger.site.text.voice import Voice


@dataclass(frozen=True)
class Solved:
    """An exercise with its answer."""

    exercise: Exercise
    sums: Markup
    value: str
    unit: str
    units: str
    rounded: bool


def solved(voice: Voice, exercises: tuple[Exercise, ...]) -> tuple[Solved, ...]:
    """Return exercises with the ledger's answers."""
    with said_by(voice.account.target.entry):
        return tuple(_solved(voice, e, e.settings) for e in exercises)


def _solved(voice: Voice, exercise: Exercise, settings: Mapping[str, object]) -> Solved:
    formula = voice.asked(exercise.target, settings)[exercise.quantity]
    return Solved(
        exercise, maths.substituted(formula), shown(formula), formula.unit, in_units(formula),
        is_rounded(formula),
    )
