"""From what a user writes to the formula that is meant: an id or a tag. It needs no SymPy."""

from __future__ import annotations

import re

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import BY_NAME
from symledger.errors import UnknownTarget, nearest, shown
from symledger.tags.registry import PREFIX, Tagged, as_tag, by_tag, citable, registered


def find(text: str) -> tuple[Tagged, str]:
    """Return the formula that is meant, and the target whose formula it was called.

    ``text`` is an id (``mini_gpt.params``), the same of a configuration (``gpt3-175b.params``,
    which is ``gpt2.params`` evaluated), or a tag, in any case, with or without ``SL-``.

    Raises:
        UnknownTarget: there is no such formula, or no longer; the message says what there is.
    """
    name = text.strip()
    target, quantity = divided(name)
    family = _family(target)
    tagged = registered().get(f"{family}.{quantity}") or by_tag().get(as_tag(name))
    if tagged is None or name in BY_NAME:  # gpt2 could be a tag as well
        raise UnknownTarget(_unknown(name, target))
    if tagged.removed:
        raise UnknownTarget(_removed(tagged))
    return tagged, target if quantity else tagged.owner


def divided(name: str) -> tuple[str, str]:
    """Divide an id into target and quantity; a target's name may hold a dot (``llama-3.1``)."""
    targets = [target for target in (*BY_NAME, *checkpoints()) if name.startswith(f"{target}.")]
    longest = max(targets, key=len, default=name.partition(".")[0])
    return longest, name[len(longest) + 1 :]


def _family(target: str) -> str:
    """Return whose formulas those of a target are; a configuration has to be read for that."""
    if target in BY_NAME:
        return BY_NAME[target].family
    if target not in checkpoints():
        return target
    from symledger.targets.resolve import resolve

    return resolve(target).owner


def _unknown(name: str, target: str) -> str:
    """Say what there is instead of an unknown formula."""
    if name in BY_NAME:
        return (f"{name} is a target and not a formula: name one of its quantities, "
                f"as in {name}.params.")  # fmt: skip
    family = _family(target)
    if target in BY_NAME or target in checkpoints():
        own = {t.quantity: f"{target}.{t.quantity}" for t in citable() if t.owner == family}
        if not own:
            return (f"the formulas of {family} have no tags yet: `symledger record {family}` "
                    "gives each of them one.")  # fmt: skip
        near = nearest(name, own.values())
        return f"{shown(name)} is not a formula of {target}. {near}"
    if re.fullmatch(f"({PREFIX})?[0-9a-z]{{4}}|{PREFIX}.*", name, re.IGNORECASE):
        return f"{shown(name)} is the tag of no formula. {nearest(as_tag(name), by_tag())}"
    if "/" in name or ".json." in name:
        return (f"{shown(name)} is of a file, and a formula with an id belongs to a family: "
                "`symledger derive` says which one that of a configuration is; name it as in "
                "llama.params.")  # fmt: skip
    named = (*BY_NAME, *checkpoints())
    known = [*(t.id for t in citable()), *(f"{target}.params" for target in named)]
    return (f"{shown(name)} is neither the id of a formula nor a tag. {nearest(name, known)} "
            "`symledger list` shows what has formulas: an id is as in linear.params.")  # fmt: skip


def _removed(tagged: Tagged) -> str:
    """Say that a formula is no longer there, why, and what takes its place."""
    assert tagged.removed
    took = registered().get(tagged.removed.now)
    instead = f" In its place: {took.tag}, {took.id}." if took else ""
    return (f"{tagged.tag}, {tagged.id}, was removed in symledger {tagged.removed.version}: "
            f"{tagged.removed.why.rstrip('.')}.{instead}")  # fmt: skip
