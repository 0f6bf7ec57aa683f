"""What is checked of an owner: its default choices, and each choice that somebody makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, starmap
from typing import Any

from symledger.accounts.account import Account, derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import AXIOMS, BY_NAME, ENTRIES, find
from symledger.configs.read import entry_of
from symledger.evidence.records import variant
from symledger.targets.resolve import resolve
from symledger.torch_layers.call import CALLED, Constructor, read
from symledger.torch_layers.table import LAYERS


def variants(targets: Sequence[str] = ()) -> Iterator[Account]:
    """Yield each target with its default options, then with each option chosen otherwise.

    Then what layers of torch.nn make of them, each flag also the other way round, where that makes
    other choices. Without targets: every owner and every axiom.
    """
    names = targets or list(dict.fromkeys(entry.family for entry in (*ENTRIES, *AXIOMS)))
    known = set()
    for account in chain.from_iterable(map(_chosen, names)):
        known.add(variant(account))
        yield account
    further = (derive(str(constructor)) for constructor in _layers(set(names)))
    for account in chain(further, _published(set(names))):
        if variant(account) not in known:
            known.add(variant(account))
            yield account


def _chosen(name: str) -> Iterator[Account]:
    default = derive(name)
    yield default
    if default.target.configured:  # it has made its choices
        return
    stated, written = default.target.settled({}), default.target.constructor
    for option, allowed in default.target.tried.items():
        if written and option not in CALLED:  # a choice that the layer does not have
            continue
        for value in allowed:
            if value != default.target.options[option] and option not in stated:
                yield derive(name, {option: value})


def _layers(owners: set[str]) -> Iterator[Constructor]:
    """Yield the layers that are read as one of some owners."""
    return (constructor for owner, constructor in _every_layer() if owner in owners)


@cache
def _every_layer() -> tuple[tuple[str, Constructor], ...]:
    """Every layer as its example has it and with each flag the other way round, and its owner."""
    plain = [read(layer.example) for layer in LAYERS]
    made = chain.from_iterable((layer, *layer.toggled()) for layer in plain)
    return tuple((BY_NAME[layer.entry].family, layer) for layer in made)


def _published(owners: set[str]) -> Iterator[Account]:
    """Yield families with the choices that their published configurations make, each once."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, owner in _owners_of_checkpoints().items():
        if owner in owners:
            target = resolve(name)
            plain = resolve(target.owner).options
            chosen = {k: v for k, v in target.options.items() if v != plain[k]}
            found[f"{target.owner} {chosen}"] = (target.owner, chosen)
    return starmap(derive, found.values())


@cache
def _owners_of_checkpoints() -> dict[str, str]:
    """The owner of each published configuration."""
    return {name: find(entry_of(known)).family for name, known in checkpoints().items()}
