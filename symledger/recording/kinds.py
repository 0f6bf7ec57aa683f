"""All kinds of records, in the order in which one is made of another."""

from __future__ import annotations

from symledger.recording.alive import Alive
from symledger.recording.evidence import Demonstrations, Evidence
from symledger.recording.formulas import Formulas
from symledger.recording.index import CheckpointSizes, Index
from symledger.recording.kind import Kind
from symledger.recording.messages import Messages
from symledger.recording.mutants import Mutants
from symledger.recording.reference import Defaults, Reference
from symledger.recording.reference_types import Types
from symledger.recording.scripts import Scripts
from symledger.recording.sought import Sought
from symledger.recording.tags import Tags
from symledger.recording.traced import Traced

Stages = tuple[tuple[Kind, ...], ...]


def stages(why: str = "", successor: str = "") -> Stages:
    """Return the kinds of records; those of a stage are made once those before it are written.

    What a stage holds of one owner is made in this order: defaults of keys are read by every
    configuration, a demonstration is of the evidence that there is, evidence kills mutants and has
    words to be translated.

    Args:
        why: the reason for which formulas were removed.
        successor: what takes their place: an id, or an owner with the same quantities.
    """
    owned = (Evidence(), Demonstrations(), Tags(why, successor), Formulas(), Index(), Scripts())
    outside = Reference(), Traced(), Alive()
    last = Messages(), Mutants(), Sought()
    return (Defaults(), Types()), (*outside, *owned, CheckpointSizes()), last


NAMES = tuple(kind.name for stage in stages() for kind in stage)
