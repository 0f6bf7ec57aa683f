"""``python -m symledger.checks.mutants`` hunts all mutants; 1 where one survives."""

from __future__ import annotations

import signal
import sys

from symledger.checks.mutants.suite import run_mutants
from symledger.errors import BadInput
from symledger.extras import require


def main() -> int:
    """Print how many mutants of each kind were killed by what; 1 where one survived."""
    try:
        require(["torch"], "mutants that only PyTorch finds cannot be hunted")
    except BadInput as error:
        print(f"BadInput: {error}", file=sys.stderr)
        return error.exit_code
    report = run_mutants()
    print(report)
    return 1 if report.survivors else 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # a reader that has left ends it, as any other tool
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
