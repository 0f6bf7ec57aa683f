"""Bringing the registry up to date with the catalogue: ``python -m symledger.tags``.

New formulas get tags, a changed canonical form raises the revision, a removed formula leaves its
tag with an explanation. What is registered already keeps its tag, so that after a merge this is
simply run again.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from dataclasses import replace

from symledger.catalogue.entries import ENTRIES
from symledger.derivations.derivation import Derivation
from symledger.derivations.query import requested
from symledger.errors import BadInput, nearest
from symledger.tags.canonical import canonical_form, fingerprint
from symledger.tags.registry import FILE, Removal, Revision, Tagged, new_tag, parse, written
from symledger.version import VERSION


def derived() -> dict[str, str]:
    """Return the fingerprint of every formula that is to have a tag, by id.

    These are all quantities of all owners of the catalogue, in their default choices, under the
    default conventions.
    """
    owners = dict.fromkeys(entry.family for entry in ENTRIES)
    return fingerprints(Derivation(requested(owner)) for owner in owners)


def fingerprints(derivations: Iterable[Derivation]) -> dict[str, str]:
    """Return the fingerprint of every formula of some derivations, by id."""
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


def main() -> None:
    """Update the registry, and say what changed."""
    parser = ArgumentParser("python -m symledger.tags", description=__doc__)
    parser.add_argument("--why", default="", help="why formulas were removed")
    parser.add_argument("--now", default="", help="the owner or formula that takes their place")
    given = parser.parse_args()
    before = parse(FILE.read_text(encoding="utf-8")) if FILE.is_file() else []
    after = updated(before, derived(), VERSION, given.why, given.now)
    FILE.write_text(written(after), encoding="utf-8")
    known = {tagged.id: tagged for tagged in before}
    changed = [tagged for tagged in after if known.get(tagged.id) != tagged]
    for tagged in changed:
        print(tagged)
    print(f"{len(after)} formulas, {len(changed)} changed: {FILE}")
