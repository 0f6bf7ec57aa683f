"""Bringing the registry up to date with the catalogue.

New formulas get tags, a changed canonical form raises the revision, a removed formula leaves its
tag with an explanation. What is registered already keeps its tag, so that after a merge this is
simply run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from symledger.derivations.derivation import Derivation
from symledger.errors import BadInput, nearest
from symledger.tags.canonical import canonical_form, fingerprint
from symledger.tags.registry import Removal, Revision, Tagged, new_tag


def fingerprints(derivations: Iterable[Derivation]) -> dict[str, str]:
    """Return the fingerprint of every formula of some derivations, by id.

    In their default choices, under the default conventions, these are what has tags.
    """
    return {
        derivation[name].id: fingerprint(canonical_form(derivation, name))
        for derivation in derivations for name in derivation.quantities
    }  # fmt: skip


def updated(
    before: Iterable[Tagged], now: Mapping[str, str], version: str,
    why: str = "", successor: str = "",
) -> list[Tagged]:  # fmt: skip
    """Return the registry brought up to date with the fingerprints of the formulas there are.

    Args:
        before: the registry as it is.
        now: the fingerprint of each formula, by id.
        version: the version of symledger that this is.
        why: the reason for which formulas were removed.
        successor: what takes their place: an id, or an owner with the same quantities.

    Raises:
        BadInput: a formula was removed without a reason, or what takes its place is not there.
    """
    lines = {tagged.id: tagged for tagged in before}
    gone = [tagged for tagged in lines.values() if tagged.id not in now and not tagged.removed]
    if gone and not why:
        raise BadInput(
            f"the catalogue no longer has {', '.join(t.id for t in gone)}. If that is meant, say "
            'why, and what takes their place: --why "…" [--now OWNER].'
        )
    for tagged in gone:
        took = _successor(tagged, now, successor)
        lines[tagged.id] = replace(tagged, removed=Removal(version, " ".join(why.split()), took))
    for name, found in sorted(now.items()):
        tagged = lines.get(name) or Tagged(new_tag(name, {t.tag for t in lines.values()}), name, ())
        made = tagged.revisions
        if not made or made[-1].hash != found:
            made = (*made, Revision(version, found))
        lines[name] = replace(tagged, revisions=made, removed=None)
    return sorted(lines.values(), key=lambda tagged: tagged.id)


def _successor(tagged: Tagged, now: Mapping[str, str], successor: str) -> str:
    """Return the id of what takes a formula's place, if anything does."""
    if not successor:
        return ""
    found = next((i for i in (successor, f"{successor}.{tagged.quantity}") if i in now), None)
    if found is None:
        known = {*now, *(name.partition(".")[0] for name in now)}
        raise BadInput(
            f"neither {successor} nor {successor}.{tagged.quantity} is a formula that could take "
            f"the place of {tagged.id}. {nearest(successor, known)}"
        )
    return found
