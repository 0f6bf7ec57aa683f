"""`symledger check --types`: configurations drawn for every type, against the implementation."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_args

from symledger.cli.progress import progress
from symledger.errors import BadInput, shown
from symledger.extras import EXTRAS, require

if TYPE_CHECKING:
    from symledger.checks.transformers.drawn import Drawn

SCHEMA = "symledger.check-types/1"
MOST = 10_000
"""As many configurations of a type may be drawn."""


def run(asked: Sequence[str], number: int, seed: int, shard: str, as_json: bool) -> int:
    """Draw configurations of types (all without any), and compare them; return the exit code.

    A shard is one part of the types, ``"2/4"`` say.

    Raises:
        SymledgerError: a type is not read, the shard is none, or PyTorch is missing.
    """
    require(EXTRAS["torch"], "no implementation can be built")
    from symledger.checks.transformers.drawn import drawn, types

    part, parts = _shard(shard)
    every = list(types(tuple(asked)).items())[part - 1 :: parts]
    started = perf_counter()
    found: dict[str, list[Drawn]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the implementation has to say of odd values
        for n, (name, family) in enumerate(every):
            progress(f"{n} of {len(every)} types, now {name}")
            found[name] = list(drawn(family, number, seed))
    progress("")
    differing = [(name, d) for name, ds in found.items() for d in ds if d.outcome == "different"]
    if as_json:
        print(json.dumps(to_dict(found, number, seed), indent=2))
        return 1 if differing else 0
    for name, ds in found.items():
        print(f"{name}: {said(ds)}")
    for _, d in differing:
        print(f"✗ {json.dumps(d.document)}\n    {d.detail}")
    every_one = [d for ds in found.values() for d in ds]
    print(f"{len(found)} types, {said(every_one)} in {perf_counter() - started:.1f} s")
    return 1 if differing else 0


def said(found: Sequence[Drawn]) -> str:
    """Say how many configurations came out which way."""
    counts = Counter(d.outcome for d in found)
    return (f"{counts['same']} the same, {counts['different']} different, {counts['refused']} "
            f"refused here, {counts['unbuilt']} not built there")  # fmt: skip


def _shard(text: str) -> tuple[int, int]:
    part, slash, parts = text.partition("/")
    numbers = slash and part.isascii() and parts.isascii() and part.isdigit() and parts.isdigit()
    if not numbers or not 1 <= int(part) <= int(parts) <= MOST:
        raise BadInput(f"--shard {shown(text)} is no part of the types: 2/4 is the second of four.")
    return int(part), int(parts)


def to_dict(found: Mapping[str, Sequence[Drawn]], number: int, seed: int) -> dict[str, Any]:
    """Return the result as JSON data: the number of each outcome, and what differs."""
    from symledger.checks.transformers.drawn import Outcome

    def count(ds: Sequence[Drawn], outcome: str) -> int:
        return sum(d.outcome == outcome for d in ds)

    return {
        "schema": SCHEMA,
        "passed": not any(count(ds, "different") for ds in found.values()),
        "number": number,
        "seed": seed,
        "types": [
            {
                "model_type": name,
                **{outcome: count(ds, outcome) for outcome in get_args(Outcome)},
                "differing": [
                    {"configuration": d.document, "detail": d.detail}
                    for d in ds if d.outcome == "different"
                ],
            }
            for name, ds in found.items()
        ],
    }  # fmt: skip
