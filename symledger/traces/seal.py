"""The seal of a trace: hashes of its content, by which an edit or damage is found, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from symledger.errors import BadInput

SHORT = 8
"""Digits of the hash of a part: they say where, and the hash of all says whether."""


def canonical(data: Any) -> str:
    """Return JSON data as the one text that is hashed: keys sorted, no spaces."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def hashed(data: Any) -> str:
    """Return the SHA-256 of JSON data, in hexadecimal digits."""
    return sha256(canonical(data).encode()).hexdigest()


def seal(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hash of a whole trace, and a short one of each of its parts."""
    content = {key: value for key, value in data.items() if key != "seal"}
    return {"hash": hashed(content), "parts": {p: hashed(x)[:SHORT] for p, x in parts(content)}}


def check_seal(data: Mapping[str, Any]) -> str:
    """Return the hash of a trace that is as it was written.

    Raises:
        BadInput: it was edited or damaged; where.
    """
    said = data.get("seal")
    found = seal(data)
    if said == found:
        return str(found["hash"])
    stated = said.get("parts") if isinstance(said, dict) else None
    stated = stated if isinstance(stated, dict) else {}
    for path, here in found["parts"].items():
        if stated.get(path) != here:
            raise BadInput(f"{path}: this is not what was written here; the file was edited or "
                           "damaged. Trace the module again.")  # fmt: skip
    gone = next((path for path in stated if path not in found["parts"]), "")
    raise BadInput(
        f"{gone or 'seal'}: {'what was written here is missing' if gone else 'it is another one'}; "
        "the file was edited or damaged. Trace the module again."
    )


def parts(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a trace that are sealed one by one, with their paths."""
    for key, value in content.items():
        if key != "graph":
            yield key, value
            continue
        nodes = value.get("nodes") if isinstance(value, dict) else None
        for i, node in enumerate(nodes if isinstance(nodes, list) else ()):
            yield f"graph.nodes[{i}]", node
        yield "graph", {k: v for k, v in value.items() if k != "nodes"} if nodes else value
