"""What symledger costs, as ratios measured in one run: interleaved processes, medians of CPU time.

Run it with the interpreter that symledger is installed for: ``python benchmarks/run.py``. Exit code
1 where a limit is exceeded.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAIN = "import sys; from symledger.__main__ import main; main()"
HEAVY = ("sympy", "mkdocs", "numpy", "rich")
SEEN = (
    "import sys, atexit; atexit.register(lambda: sys.stderr.write("
    f"' '.join(m for m in {HEAVY!r} if m in sys.modules))); {MAIN}"
)


def symledger(*arguments: str) -> list[str]:
    """The command of a whole process, as the installed script runs it."""
    return [sys.executable, "-c", MAIN, *arguments]


MODELS = {"llama-3-8b": 1.5, "resnet50": 2, "unet": 2, "mobilenet_v2": 2, "sd-v1-unet": 2}
"""Models whose blocks differ, and how many times importing SymPy deriving one may take."""
FITS = ("gpt2", "llama-3-8b", "deepseek-v3")
"""Models of which fit may take thrice what derive takes: it derives every way to need less."""
LARGE, PEAK = "kimi-k2", ("--quantity", "memory.peak.train")
"""A mixture of 10^12 parameters, whose peak may take twice what everything else takes."""
COMMANDS: dict[str, list[str]] = {
    "import sympy": [sys.executable, "-c", "import sympy"],
    "--help": symledger("--help"),
    "derive mini_gpt": symledger("derive", "mini_gpt"),
    "derive mini_gpt --json": symledger("derive", "mini_gpt", "--json"),
    "explain 2362368": symledger("explain", "2362368"),
    "explain 9.01MiB": symledger("explain", "9.01MiB"),
    "explain 7B": symledger("explain", "7B"),
    "explain 9.01MiB, bias set": symledger("explain", "9.01MiB", "--set", "bias=true"),
    "derive mini_gpt, L = 2": symledger("derive", "mini_gpt", "--set", "L=2"),
    "derive mini_gpt, L = 10000": symledger("derive", "mini_gpt", "--set", "L=10000"),
    **{f"derive {name}": symledger("derive", name) for name in (*MODELS, *FITS, LARGE)},
    **{f"fit {name}": symledger("fit", name, "--budget", "80GB") for name in FITS},
    f"derive {LARGE}, peak": symledger("derive", LARGE, *PEAK),
}
CHECK = symledger("check", "mini_gpt")


@dataclass(frozen=True)
class Limit:
    """A number that may not exceed another one."""

    what: str
    found: float
    most: float
    unit: str = ""

    @property
    def row(self) -> tuple[str, ...]:
        """What is printed."""
        verdict = "ok" if self.found <= self.most else "TOO SLOW"
        return self.what, f"{self.found:.2f}{self.unit}", f"{self.most:.2f}{self.unit}", verdict


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command into a pipe; return the CPU seconds that it took, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, capture_output=True, check=True)  # noqa: S603  # our own
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(times: int, environment: Mapping[str, str]) -> dict[str, float]:
    """Return the median CPU seconds of each command, the commands taking turns."""
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for round_ in range(times + 1):  # the first one writes the bytecode
        for name, command in COMMANDS.items():
            seconds = cpu_seconds(command, environment)
            if round_:
                found[name].append(seconds)
    return {name: median(seconds) for name, seconds in found.items()}


def imported_by_help(environment: Mapping[str, str]) -> str:
    """Return which of the heavy packages are imported when ``symledger --help`` ends."""
    done = subprocess.run([sys.executable, "-c", SEEN, "--help"], env=environment,  # noqa: S603  # our own
                          capture_output=True, text=True, check=True)  # fmt: skip
    return done.stderr


def table(rows: Sequence[Sequence[str]]) -> str:
    """Align rows of text in columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def limits(seconds: Mapping[str, float], check: float, imported: str) -> list[Limit]:
    """Return what is promised, beside what was measured."""
    base = seconds["import sympy"]
    deep, shallow = seconds["derive mini_gpt, L = 10000"], seconds["derive mini_gpt, L = 2"]

    def ratio(one: str, other: str) -> float:
        return seconds[one] / seconds[other]

    return [
        Limit("derive mini_gpt / import sympy", seconds["derive mini_gpt"] / base, 1.5),
        *(
            Limit(f"derive {name} / import sympy", seconds[f"derive {name}"] / base, most)
            for name, most in MODELS.items()
        ),
        *(
            Limit(f"fit {name} / derive {name}", ratio(f"fit {name}", f"derive {name}"), 3)
            for name in FITS
        ),
        Limit(f"{LARGE}: peak / all else", ratio(f"derive {LARGE}, peak", f"derive {LARGE}"), 2),
        Limit("derive with L = 10000 / with L = 2", deep / shallow, 1.1),
        *(
            Limit(name, spent, 2, " s")
            for name, spent in seconds.items() if name.startswith("explain")
        ),
        Limit("--help", seconds["--help"], 0.15, " s"),
        Limit(f"heavy packages imported by --help: {imported or 'none'}", len(imported.split()), 0),
        Limit("check mini_gpt", check, 10, " s"),
    ]


def main() -> int:
    """Measure everything, print two tables, and return the exit code."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=15, help="how often each command is run")
    times = parser.parse_args().n
    with tempfile.TemporaryDirectory() as bytecode:
        # modules compiled once, as after an installation, and not in the source tree
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONPATH": ROOT}
        seconds = measure(times, environment)
        check = cpu_seconds(CHECK, environment)
        imported = imported_by_help(environment)
    base = seconds["import sympy"]
    rows = [("process", "CPU seconds", "ratio to import sympy")]
    rows += [(name, f"{s:.3f}", f"{s / base:.2f}") for name, s in seconds.items()]
    print(f"Python {sys.version.split()[0]}, medians of {times}\n")
    print(table([*rows, ("check mini_gpt", f"{check:.3f}", f"{check / base:.2f}")]) + "\n")
    found = limits(seconds, check, imported)
    print(table([("limit", "found", "at most", ""), *(limit.row for limit in found)]))
    return 0 if all(limit.found <= limit.most for limit in found) else 1


if __name__ == "__main__":
    sys.exit(main())
