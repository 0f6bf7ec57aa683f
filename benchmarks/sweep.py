"""How fast a grid is swept: `symledger sweep`, a fused native loop, NumPy functions of SymPy.

Run ``benchmarks/sweep.py``: one grid of GPTs, the same two conditions, in one run. The native loop
is C written from the same two polynomials, compiled by ``cc`` where there is one; the other is what
``sympy.lambdify`` makes of them. All count the same configurations. With ``exact`` a second grid is
swept, whose sizes int64 does not hold.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from sympy import ccode, lambdify

from symledger import algebra, derive
from symledger.inverse.sweep.axes import Axis, count, split
from symledger.inverse.sweep.plan import Plan
from symledger.inverse.sweep.run import found_in

GRID = {"d": "1024:8192:64", "L": "1:2048", "h": "8,16,32", "B": "1:128"}
LARGE = {"V": "1000000000000:1000000000400", "d": "64000000:64064000:64", "h": "8,16,32"}
BUDGETS = {"params": 7 * 10**9, "memory.training": 80 * 10**9}
SIZES = {"T": "1024", "T_max": "1024", "V": "50257"}


def main(arguments: Sequence[str]) -> None:
    """Print how many configurations a second each of them looks at."""
    axes, _ = split(GRID)
    where = [f"params <= {BUDGETS['params']}", f"memory.training <= {BUDGETS['memory.training']}B"]
    plan = Plan(derive("gpt", SIZES), axes, where, ())
    print(f"{count(axes):,} configurations, {len(os.sched_getaffinity(0))} cores")
    numbers = {
        told("symledger sweep", count(axes), lambda: sum(f.count for f in found_in(plan, None))),
        told("lambdified NumPy, one core", count(axes), lambda: lambdified(plan, axes)),
    }
    if shutil.which("cc"):
        numbers.add(told("fused native loop, one core", count(axes), native(plan, axes)))
    assert len(numbers) == 1, numbers
    if "exact" in arguments:
        axes, _ = split(LARGE)
        large = Plan(derive("gpt", {"T": "8", "T_max": "8", "L": "4", "B": "1"}), axes,
                     ["params <= 64230000000000000000"], ())  # fmt: skip
        assert not large.tests[0].polynomial.fits
        told("symledger sweep, beyond int64", count(axes),
             lambda: sum(f.count for f in found_in(large, None)))  # fmt: skip


def told(what: str, points: int, run: Callable[[], int]) -> int:
    """Print the best of three, and return what was counted."""
    times = []
    for _ in range(3):
        start = perf_counter()
        found = run()
        times.append(perf_counter() - start)
    print(f"{what:<32} {points / min(times):14,.0f} a second   {found:,} within")
    return found


def lambdified(plan: Plan, axes: Sequence[Axis]) -> int:
    """Count with NumPy functions of the expressions, a block of every d and L at a time."""
    free = plan.freed.free
    functions = [
        (lambdify(free, algebra.expression(plan.branches(name)[0]), "numpy"), budget)
        for name, budget in BUDGETS.items()
    ]
    d, depth = (np.array(axis.values, dtype=np.int64) for axis in axes[:2])
    total = 0
    for h in axes[2].values:
        for batch in axes[3].values:
            mask = (d % h == 0)[:, None] & np.ones(len(depth), dtype=bool)[None, :]
            for function, budget in functions:
                mask &= function(d[:, None], depth[None, :], h, batch) <= budget
            total += int(mask.sum())
    return total


def native(plan: Plan, axes: Sequence[Axis]) -> Callable[[], int]:
    """Return a compiled loop over the same grid."""
    free = [s.name for s in plan.freed.free]
    tests = " && ".join(
        f"{integers(ccode(algebra.expression(plan.branches(name)[0])))} <= {budget}LL"
        for name, budget in BUDGETS.items()
    )
    loops = "".join(
        f"for (long long i_{n} = 0; i_{n} < {len(a.values)}; i_{n}++) {{ "
        f"const long long {n} = v_{n}[i_{n}];\n"
        for n, a in sorted(zip(free, axes, strict=True), key=lambda pair: len(pair[1].values))
    )
    given = ", ".join(f"const long long *v_{n}" for n in free)
    source = (
        f"long long sweep({given}) {{ long long found = 0;\n{loops}"
        f"found += d % h == 0 && {tests};\n{'}' * len(free)} return found; }}\n"
    )
    folder = Path(tempfile.mkdtemp())
    (folder / "sweep.c").write_text(source)
    library = folder / "sweep.so"
    subprocess.run(  # noqa: S603  # the compiler of this machine, on what stands above
        [shutil.which("cc") or "cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library,
         folder / "sweep.c"], check=True,
    )  # fmt: skip
    function = ctypes.CDLL(str(library)).sweep
    function.restype = ctypes.c_longlong
    values = [np.array(axis.values, dtype=np.int64) for axis in axes]
    shutil.rmtree(folder)
    return lambda: int(function(*(v.ctypes.data_as(ctypes.c_void_p) for v in values)))


def integers(code: str) -> str:
    """Write C's powers as products, and its numbers as long ones."""
    import re

    code = re.sub(r"pow\((\w+), (\d)\)", lambda m: "(" + "*".join([m[1]] * int(m[2])) + ")", code)
    return "(" + re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"\1LL", code) + ")"


if __name__ == "__main__":
    main(sys.argv[1:])
