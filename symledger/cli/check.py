"""`symledger check`: examine targets, show what was found, record it where asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, starmap
from time import perf_counter
from typing import Any

from symledger.accounts.account import Account, derive
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import AXIOMS, BY_NAME, ENTRIES, find
from symledger.checks.evidence import Evidence
from symledger.checks.identities import identities
from symledger.checks.mutants import demonstrating
from symledger.checks.runner import decoded, examine
from symledger.checks.torch.witness import SKIPPED, installed, kept_without, witnessed
from symledger.checks.transformers import comparison as built
from symledger.configs.read import entry_of
from symledger.errors import BadInput
from symledger.evidence.records import FOLDER, recorded, variant
from symledger.targets.resolve import resolve
from symledger.torch_layers.call import Constructor, read
from symledger.torch_layers.table import LAYERS

SCHEMA = "symledger.check/1"


def run(targets: Sequence[str], record: bool, as_json: bool) -> int:
    """Check targets (all owners of the catalogue without any); return the exit code.

    Each is checked with its default options and with every one of them chosen otherwise.

    Raises:
        SymledgerError: a target is not there or cannot be run.
    """
    accounts = list(variants(targets))
    catalogued = {entry.name for entry in (*ENTRIES, *AXIOMS)}
    if record and not catalogued.issuperset(targets):
        raise BadInput(
            "--record writes into the package: it takes names of the catalogue only. "
            "(Published configurations: python -m symledger.checks.transformers.comparison NAME …)"
        )
    started = perf_counter()
    found = [(account, _examined(account)) for account in accounts]
    failed = sum(not e.passed for _, evidence in found for e in evidence)
    if record:
        for owner in dict.fromkeys(account.target.owner for account, _ in found):
            whole = not targets or owner in targets  # all of its variants were checked
            _write(owner, [(a, e) for a, e in found if a.target.owner == owner], whole)
            if owner in BY_NAME:  # an axiom has no page on which to show it
                demonstrating.record(derive(owner))
    if as_json:
        plain = (sys.stdout.encoding or "utf-8").lower() != "utf-8"
        print(json.dumps(to_dict(found, failed), indent=2, ensure_ascii=plain))
    else:
        for account, evidence in found:
            print(page(account, evidence))
        if not installed():
            print(SKIPPED)
        total = sum(len(evidence) for _, evidence in found)
        print(f"{total - failed} passed, {failed} failed in {perf_counter() - started:.1f} s")
    return 1 if failed else 0


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
    stated = default.target.settled({})
    for option, allowed in default.target.choices.items():
        for value in allowed:
            if value != default.target.options[option] and option not in stated:
                yield derive(name, {option: value})


def _layers(owners: set[str]) -> Iterator[Constructor]:
    """Yield the layers that are read as one of some owners."""
    for layer in LAYERS:
        plain = read(layer.example)
        for constructor in (plain, *plain.toggled()):
            if BY_NAME[constructor.entry].family in owners:
                yield constructor


def _published(owners: set[str]) -> Iterator[Account]:
    """Yield families with the choices that their published configurations make, each once."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, known in checkpoints().items():
        if find(entry_of(known)).family in owners:
            target = resolve(name)
            plain = resolve(target.owner).options
            chosen = {k: v for k, v in target.options.items() if v != plain[k]}
            found[f"{target.owner} {chosen}"] = (target.owner, chosen)
    return starmap(derive, found.values())


def _examined(account: Account) -> list[Evidence]:
    """Examine one target, saying on stderr how far it is."""
    found: list[Evidence] = []
    checks = examine(account.program, account.readings.back)
    step = account.target.decoding()
    decoding = map(decoded, [step] if step else [])
    testimony = chain(witnessed(account), built.witnessed(account))
    for evidence in chain(checks, decoding, identities(account), testimony):
        found.append(evidence)
        progress(f"checking {variant(account)}: {len(found)} done, last {evidence.kind}")
    progress("")
    return found


def progress(text: str) -> None:
    """Say on a terminal's stderr what is being done, in one line that is written over."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def page(account: Account, evidence: Sequence[Evidence]) -> str:
    """Write what was found about one target."""
    lines = [variant(account)]
    for e in evidence:
        mark = "✓" if e.passed else "✗"
        worst = "" if e.worst == "0" else f" (worst deviation {e.worst})"
        lines.append(f"  {mark} {e.kind}: {e.claim}{worst}")
        if not e.passed:
            lines.append(f"      {e.detail}")
    return "\n".join(lines)


def to_dict(found: Sequence[tuple[Account, Sequence[Evidence]]], failed: int) -> dict[str, Any]:
    """Return the result as JSON data."""
    return {
        "schema": SCHEMA,
        "passed": failed == 0,
        "targets": [
            {"target": variant(account), "evidence": [e.to_dict() for e in evidence]}
            for account, evidence in found
        ],
    }


def _write(owner: str, found: Sequence[tuple[Account, Sequence[Evidence]]], whole: bool) -> None:
    """Write an owner's evidence into the package, whole or not at all.

    Where it is about the whole owner, what was recorded of variants that are no more is dropped.
    """
    path = FOLDER / f"{owner}.json"
    before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    known = {} if whole else dict(before)
    for account, evidence in found:
        quantities = dict.fromkeys(e.quantity for e in evidence)
        fresh = {q: account.fingerprint(q) for q in quantities}
        hashes = {q: h for q, h in fresh.items() if h}
        testimony = kept_without(before.get(variant(account), {}), hashes)
        known[variant(account)] = {
            "hashes": hashes,
            "evidence": [*(e.to_dict() for e in evidence), *testimony],
        }
    path.parent.mkdir(exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_text(written(known), encoding="utf-8")
    draft.replace(path)
    recorded.cache_clear()


def written(known: dict[str, Any]) -> str:
    """Write an owner's evidence as JSON, a comparison a line, so that a change can be reviewed."""

    def line(data: Any) -> str:
        return json.dumps(data, ensure_ascii=False, sort_keys=True)

    about = [
        f'{line(name)}: {{\n "hashes": {line(entry["hashes"])},\n "evidence": [\n  '
        + ",\n  ".join(line(e) for e in entry["evidence"]) + "\n ]}"
        for name, entry in sorted(known.items())
    ]  # fmt: skip
    return "{" + ",\n".join(about) + "}\n"
