"""``python -m symledger.checks.mutants`` hunts all mutants; 1 where one survives.

With ``--record`` what became of them is written into the package, so that the site can say it
without running anything; PyTorch has to be there, which finds some of them.
"""

from __future__ import annotations

import sys

from symledger.checks.mutants.suite import run_mutants, written
from symledger.checks.torch.witness import installed
from symledger.evidence.records import MUTANTS


def main() -> int:
    """Print how many mutants of each kind were killed by what; 1 where one survived."""
    report = run_mutants()
    print(report)
    if "--record" in sys.argv[1:] and installed() and not report.survivors:
        MUTANTS.write_text(written(report), encoding="utf-8")
    return 1 if report.survivors else 0


if __name__ == "__main__":
    sys.exit(main())
