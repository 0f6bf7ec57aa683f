"""Which types of the reference implementation that are not read can be traced: tried one by one.

    python benchmarks/traced_types.py configurations.jsonl [TYPE …]

Each line of the file is a small model: ``model_type``, ``class`` and ``config_json``. What came of
it is written to ``symledger/configs/tried.toml``; what came of types tried before stays.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from symledger.configs.unread import OUTCOMES, TRIED, tried

SECONDS = 60
"""How long one is waited for; what takes longer was not tried."""
TRACE = """
import json, sys
from symledger.errors import SymledgerError
from symledger.tracing.account import traced
said = json.loads(sys.stdin.read())
try:
    made = traced("transformers:" + said["class"], {}, config=said["config_json"])
except SymledgerError:
    print("refused")
else:
    failed = {c.quantity for c in made.checks if not c.passed}
    print("exact" if not failed else "partly" if failed == {"memory.saved"} else "refused")
"""


def outcome(line: str) -> str:
    """Trace a small model in a process of its own; nothing where it takes too long."""
    try:
        found = subprocess.run(  # noqa: S603  # this very interpreter
            [sys.executable, "-c", TRACE], input=line, capture_output=True, text=True, check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return ""
    return (found.stdout.split() or ["refused"])[-1]


def written(came: dict[str, str]) -> str:
    """Return the file of what came of each type."""
    head = (
        "# What came of tracing types of the reference implementation that are not read, each at\n"
        "# a small configuration: written by benchmarks/traced_types.py.\n\n[tried]\n"
    )
    lists = {o: sorted(n for n, what in came.items() if what == o) for o in OUTCOMES if o}
    return head + "".join(f"{o} = {json.dumps(names)}\n" for o, names in lists.items())


def main() -> None:
    """Try every type that was asked for."""
    path, *names = sys.argv[1:]
    came = dict(tried())
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name = json.loads(line)["model_type"]
        if not names or name in names:
            came[name] = outcome(line) or came.get(name, "")
            TRIED.write_text(written(came), encoding="utf-8")


if __name__ == "__main__":
    main()
