"""What tracing a PyTorch module costs, as ratios measured in one run, beside PyTorch's own tools.

Run it with an interpreter that has symledger, torch and transformers: ``python
benchmarks/tracing.py``. Processes take turns, each is measured as a whole, and medians of CPU time
and the most memory of all are shown. A ratio is to importing torch and building the module on the
meta device, in the same round. ``torch.export`` and ``FlopCounterMode`` look at one size; ``trace``
checks its formulas at five. Exit code 1 where a limit is exceeded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median
from tempfile import TemporaryFile
from time import process_time
from typing import Any

from run import MAIN, ROOT, Limit, table

MIB = 1024


@dataclass(frozen=True)
class Module:
    """What is traced, what enters it, and how many times the base the whole process may take."""

    name: str
    enters: tuple[str, str, tuple[int, ...]] = ("ids", "int64 (B, T)", (2, 128))
    ratio: float | None = None

    @property
    def command(self) -> list[str]:
        """The whole process, as the installed script runs it."""
        said = [] if self.library else ["--input", f"{self.enters[0]}: {self.enters[1]}"]
        return [sys.executable, "-c", MAIN, "trace", self.name, *said]

    @property
    def library(self) -> bool:
        """Whether it is a class of transformers, with its own configuration by default."""
        return self.name.startswith("transformers:")


def example(name: str, *enters: Any, ratio: float | None = None) -> Module:
    """One of the examples."""
    return Module(f"examples/pytorch/{name}", *enters, ratio=ratio)


TOKENS = "int64 (B, T)"
MODULES = {
    "nanoGPT": example("gpt.py:GPT", ("idx", TOKENS, (2, 128)), ratio=4),
    "Llama-3-8B": example("llama.py:Llama", ("tokens", TOKENS, (2, 128)), ratio=5),
    "Llama-7B, transformers": Module("transformers:LlamaForCausalLM", ratio=5),
    "mixture": example("mixture.py:Mixture"),
    "ResNet": example("resnet.py:ResNet", ("images", "float32 (B, 3, H, W)", (2, 3, 64, 64))),
    "LSTM": example("lstm.py:LanguageModel"),
}
SAVED = {"saved trace": "examples/gpt.trace.json", "gpt2, built in": "gpt2"}
"""Whole processes that derive the same model, from a file and from the catalogue."""
STEPS = ("base", "trace", "export", "counter")
DEPTHS = (12, 24, 48, 96)
MOST_SECONDS, MOST_MEMORY, MOST_SAVED, MOST_FIT = 40, 600, 1.5, 1.0
LINEAR = 1.25
"""How many times as long verifying a layer may take at the greatest depth as at the least."""


def built(module: Module) -> tuple[Any, Any]:
    """Build a module on the meta device, and what enters it."""
    import torch

    source, _, name = module.name.partition(":")
    with torch.device("meta"):
        if module.library:
            import transformers

            kind = getattr(transformers, name)
            made = kind(kind.config_class())
        else:
            sys.path.insert(0, os.path.join(ROOT, os.path.dirname(source)))
            made = getattr(__import__(os.path.basename(source).removesuffix(".py")), name)()
        dtype = torch.int64 if "int" in module.enters[1] else torch.float32
        return made, torch.zeros(module.enters[2], dtype=dtype)


def run(step: str, name: str) -> None:
    """Do one step with one module: what this process is there for."""
    import torch

    module, x = built(MODULES[name])
    library = MODULES[name].library
    if step == "export":  # which takes no caches for results
        cache = {"use_cache": False} if library else {}
        torch.export.export(module, (x,), cache, strict=False)
    if step == "counter":
        from torch.utils.flop_counter import FlopCounterMode

        with FlopCounterMode(display=False):
            module(x)


def stages(depth: str) -> None:
    """Print what fitting and folding, and verifying, take of a GPT that is so many layers deep."""
    from symledger.tracing import trace
    from symledger.tracing.assemble import Assembler
    from symledger.tracing.checking import checks
    from symledger.tracing.folds.fold import folded
    from symledger.tracing.modules.asked import asked
    from symledger.tracing.spaces.depth import deeper
    from symledger.tracing.spaces.exploring import explored
    from symledger.tracing.spaces.points import sampled

    module = MODULES["nanoGPT"]
    said = asked(module.name, {"n_layer": depth}, [f"idx: {TOKENS}"], (), True, None)
    space = explored(said.subject)
    deeper(space, trace.DEPTHS[0])
    sample = sampled(space, [])
    start = process_time()
    folded(Assembler(sample).graph())
    fitted = process_time() - start
    made, space = trace.trace(said.subject)
    at = {**space.base, **space.asked}
    start = process_time()
    checks.verify(made, space.subject, at)
    print(json.dumps({"fit": fitted, "verify": process_time() - start}))


@dataclass(frozen=True)
class Spent:
    """CPU seconds, user and system, the most MiB at once, and what was printed."""

    seconds: float
    memory: float
    said: str


def spent(command: Sequence[str]) -> Spent:
    """Run a process to its end."""
    environment = {**os.environ, "PYTHONPATH": ROOT}
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=err)  # noqa: S603  # our own
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: {err.read()[-300:]}")
        return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss / MIB, out.read())


def own(*arguments: str) -> list[str]:
    """The command that runs this file for one step."""
    return [sys.executable, os.path.abspath(__file__), *arguments]


def rounds(times: int) -> dict[str, dict[str, Spent]]:
    """Return the median of each step with each module, steps taking turns."""
    found: dict[str, dict[str, Spent]] = {}
    for name, module in MODULES.items():
        runs: dict[str, list[Spent]] = {step: [] for step in STEPS}
        for _ in range(times):
            for step in STEPS:
                command = module.command if step == "trace" else own(step, name)
                runs[step].append(spent(command))
        found[name] = {step: middle(some) for step, some in runs.items()}
    return found


def middle(runs: Sequence[Spent]) -> Spent:
    """The median of the seconds, the most of the memory."""
    return Spent(median(r.seconds for r in runs), max(r.memory for r in runs), runs[0].said)


def limits(
    found: Mapping[str, Mapping[str, Spent]], saved: Mapping[str, float],
    deep: Mapping[int, Mapping[str, float]],
) -> list[Limit]:  # fmt: skip
    """Return what is promised, beside what was measured."""
    ratios = {n: f["trace"].seconds / f["base"].seconds for n, f in found.items()}
    derived, built_in = saved.values()
    shallow, deepest = (deep[n]["verify"] / n for n in (DEPTHS[0], DEPTHS[-1]))
    return [
        *(
            Limit(f"{name}: trace / import torch, build", ratios[name], module.ratio)
            for name, module in MODULES.items() if module.ratio
        ),
        *(Limit(name, f["trace"].seconds, MOST_SECONDS, " s") for name, f in found.items()),
        Limit("most memory", max(f["trace"].memory for f in found.values()), MOST_MEMORY, " MiB"),
        *(Limit(f"fit and fold, {n} layers", d["fit"], MOST_FIT, " s") for n, d in deep.items()),
        Limit("verify a layer, deepest / shallowest", deepest / shallow, LINEAR),
        Limit("derive a saved trace / built in", derived / built_in, MOST_SAVED),
    ]


def main() -> int:
    """Measure everything, print three tables, and return the exit code."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=3, help="how often each process is run")
    times = parser.parse_args().n
    found = rounds(times)
    answers = [[spent([sys.executable, "-c", MAIN, "derive", target]) for target in SAVED.values()]
               for _ in range(3 * times)]  # fmt: skip
    saved = {n: median(run[i].seconds for run in answers) for i, n in enumerate(SAVED)}
    deep = {n: json.loads(spent(own("stages", str(n))).said) for n in DEPTHS}
    python = sys.version.split()[0]
    print(f"Python {python}, PyTorch {version('torch')}, CPU seconds, medians of {times}\n")
    print(table([
        ("module", "import, build", "trace", "ratio", "MiB", "torch.export", "FlopCounterMode"),
        *(
            (n, f"{f['base'].seconds:.1f}", f"{f['trace'].seconds:.1f}",
             f"{f['trace'].seconds / f['base'].seconds:.1f}", f"{f['trace'].memory:.0f}",
             f"{f['export'].seconds:.1f}", f"{f['counter'].seconds:.1f}")
            for n, f in found.items()
        ),
    ]) + "\n")  # fmt: skip
    print(table([
        ("layers of a GPT", "fit and fold", "verify at a point"),
        *((str(n), f"{d['fit']:.2f}", f"{d['verify']:.2f}") for n, d in deep.items()),
    ]) + "\n")  # fmt: skip
    print(table([("derive", "CPU seconds"), *((n, f"{s:.2f}") for n, s in saved.items())]) + "\n")
    checked = limits(found, saved, deep)
    print(table([("limit", "found", "at most", ""), *(limit.row for limit in checked)]))
    return 0 if all(limit.found <= limit.most for limit in checked) else 1


if __name__ == "__main__":
    step, *rest = sys.argv[1:] if sys.argv[1:2] and sys.argv[1] in (*STEPS, "stages") else [""]
    sys.exit(stages(*rest) if step == "stages" else run(step, *rest) if step else main())
