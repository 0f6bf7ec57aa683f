"""The catalogue: what can be derived by name, in editorial order.

An entry belongs to an owner, whose formulas it evaluates: ``gpt3-175b`` is ``gpt2`` at a
configuration. Definitions are imported when they are asked for.
"""

from __future__ import annotations

from pathlib import Path

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.component_entries import COMPONENTS
from symledger.catalogue.entry import Entry
from symledger.catalogue.model_entries import MODELS
from symledger.errors import UnknownTarget, nearest, shown

ENTRIES: tuple[Entry, ...] = (*COMPONENTS, *MODELS)

AXIOMS: tuple[Entry, ...] = (
    Entry("axiom_leaf", "axioms.values:Leaf", "axiom"),
    Entry("axiom_contract", "axioms.values:Contraction", "axiom"),
    Entry("axiom_contract_pairs", "axioms.values:MaskedContraction", "axiom"),
    Entry("axiom_map", "axioms.values:Pointwise", "axiom"),
    Entry("axiom_map_broadcast", "axioms.values:Broadcast", "axiom"),
    Entry("axiom_sum", "axioms.values:Summed", "axiom"),
    Entry("axiom_repeat", "axioms.places:Repeated", "axiom"),
    Entry("axiom_max", "axioms.values:Largest", "axiom"),
    Entry("axiom_rearrange", "axioms.places:Rearranged", "axiom"),
    Entry("axiom_slice", "axioms.places:Sliced", "axiom"),
    Entry("axiom_pad", "axioms.places:Padded", "axiom"),
    Entry("axiom_join", "axioms.places:Joined", "axiom"),
    Entry("axiom_windows", "axioms.places:Sliding", "axiom"),
    Entry("axiom_overlap", "axioms.places:Overlapped", "axiom"),
    Entry("axiom_solve", "axioms.values:Solved", "axiom"),
    Entry("axiom_gather", "axioms.places:Looked", "axiom"),
    Entry("axiom_scatter", "axioms.places:Scattered", "axiom"),
    Entry("axiom_fused", "axioms.bodies:Fused", "axiom"),
    Entry("axiom_recompute", "axioms.bodies:RunAgain", "axiom"),
    Entry("axiom_call", "axioms.bodies:Layers", "axiom"),
    Entry("axiom_call_shared", "axioms.bodies:SharedLayers", "axiom"),
    Entry("axiom_call_scan", "axioms.bodies:Scanned", "axiom"),
)
"""The operations, each in a program of its own: derived and checked like everything else, and not
listed, since nobody looks for them by name."""

BY_NAME = {entry.name: entry for entry in ENTRIES}


def find(name: str) -> Entry:
    """Return the entry of a name.

    Raises:
        UnknownTarget: there is none; the message names the nearest.
    """
    known = {**BY_NAME, **{axiom.name: axiom for axiom in AXIOMS}}
    if name not in known:
        from symledger.catalogue.synonyms import meant_by  # reads all texts: only a refusal does

        meant = nearest(name, [*BY_NAME, *checkpoints()], lambda word: meant_by(word, ENTRIES))
        raise UnknownTarget(
            f"{shown(name)} is not in the catalogue. {meant} "
            "`symledger list` shows all; a component of your own is path/to/model.py:ClassName."
        )
    return known[name]


def place(records: Path, owner: str) -> Path:
    """Return where a kind of records has those of an owner: in a folder like its definition's.

    There is none of what the catalogue does not have.
    """
    entry = BY_NAME.get(owner) or next((axiom for axiom in AXIOMS if axiom.name == owner), None)
    return records.joinpath(entry.folder if entry else "", f"{owner}.json")
