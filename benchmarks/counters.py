"""What counters of PyTorch modules answer beside the traced formula, in cases that are common.

``python benchmarks/counters.py``, with an interpreter that has symledger, torch and the counters
(torchinfo, fvcore, calflops), asks each in a process of its own, prints a table and writes what was
measured to ``benchmarks/counters.json``; ``docs/tracing.md`` shows it. ``--table`` prints the table
of what is recorded. Multiply-adds are two FLOPs for all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from run import ROOT

RECORD = Path(ROOT) / "benchmarks" / "counters.json"
TOKENS, NUMBERS = "int64 (B, T)", "float32 (B, T, {})"
B, T = 2, 32
NBSP = "\u00a0"


@dataclass(frozen=True)
class Case:
    """A module, what enters it, its sizes, and what it has."""

    what: str
    module: str
    enters: tuple[str, str]
    sizes: dict[str, int]
    nested: bool = False


def numbers(axis: str) -> tuple[str, str]:
    """Numbers that enter, their last axis as long as an argument."""
    return "x", NUMBERS.format(axis)


SMALL = {"vocab_size": 512, "n_layer": 2, "n_head": 4, "n_embd": 64, "block_size": 64}
LLAMA = {"vocab_size": 512, "dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2,
         "hidden_dim": 192}  # fmt: skip
MIXTURE = {"vocab_size": 512, "d_model": 64, "n_layers": 2, "n_heads": 4, "d_ff": 128,
           "num_experts": 4}  # fmt: skip
LSTM = {"vocab_size": 512, "embedding_dim": 64, "hidden_size": 64}
CASES = (
    Case("fused attention, tied head", "examples/pytorch/gpt.py:GPT", ("idx", TOKENS), SMALL),
    Case("grouped queries", "examples/pytorch/llama.py:Llama", ("tokens", TOKENS), LLAMA, True),
    Case("experts by einsum", "examples/pytorch/mixture.py:Mixture", ("ids", TOKENS), MIXTURE),
    Case("nn.LSTM", "examples/pytorch/lstm.py:LanguageModel", ("ids", TOKENS), LSTM),
    Case("nn.TransformerEncoder", "benchmarks/modules.py:Encoder", numbers("d_model"), {}),
    Case("one layer run four times", "benchmarks/modules.py:Shared", ("ids", TOKENS), {}),
    Case("plain parameters", "benchmarks/modules.py:Adapted", numbers("d_model"), {}),
    Case("a cell in a loop", "benchmarks/modules.py:Stepped", numbers("d_model"), {}),
)


def traced(case: Case) -> tuple[int, int]:
    """Trace it, and put the sizes in."""
    from symledger import trace

    name, text = case.enters
    found = trace(case.module, inputs=f"{name}: {text}", **case.sizes, B=B, T=T)
    return found.params.value, found.flops_forward.value


def built(case: Case) -> tuple[Any, Any]:
    """Build the module, as it is built by default, and what enters."""
    import torch

    source, _, name = case.module.partition(":")
    sys.path.insert(0, os.path.join(ROOT, os.path.dirname(source)))
    file = __import__(os.path.basename(source).removesuffix(".py"))
    made = getattr(file, name)
    module = made(file.Config(**case.sizes)) if case.nested else made(**case.sizes)
    if case.enters[1] == TOKENS:
        return module, torch.zeros(B, T, dtype=torch.long)
    return module, torch.zeros(B, T, 64)


def torchinfo(case: Case) -> tuple[int, int]:
    """It says multiply-adds."""
    from torchinfo import summary

    module, x = built(case)
    found = summary(module, input_data=x, verbose=0, device="cpu", mode="train")
    return found.total_params, 2 * found.total_mult_adds


def fvcore(case: Case) -> tuple[int, int]:
    """It says flops and means multiply-adds."""
    from fvcore.nn import FlopCountAnalysis, parameter_count

    module, x = built(case)
    found = FlopCountAnalysis(module, x)
    found.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    return parameter_count(module)[""], int(2 * found.total())


def calflops(case: Case) -> tuple[int, int]:
    """It says FLOPs; of norms and activations, too."""
    from calflops import calculate_flops

    module, x = built(case)
    flops, _, params = calculate_flops(
        module, args=[x], print_results=False, output_as_string=False
    )
    return int(params), int(flops)


COUNTERS: dict[str, Callable[[Case], tuple[int, int]]] = {
    "torchinfo": torchinfo, "fvcore": fvcore, "calflops": calflops,
}  # fmt: skip


def asked(counter: str, case: Case) -> list[int] | str:
    """Ask a counter in a process of its own; return what it answered, or why it did not."""
    ran = subprocess.run(  # noqa: S603  # this very file
        [sys.executable, "-W", "ignore", __file__, counter, case.module], cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ran.returncode:
        return ran.stderr.strip().splitlines()[-1][:80]
    found: list[int] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


def measured() -> dict[str, Any]:
    """Ask all of them about all cases."""
    packages = ("torch", *COUNTERS)
    return {
        "versions": {name: version(name) for name in packages}, "sizes": {"B": B, "T": T},
        "cases": [
            {"what": case.what, "module": case.module, "sizes": case.sizes,
             "traced": asked("traced", case), **{c: asked(c, case) for c in COUNTERS}}
            for case in CASES
        ],
    }  # fmt: skip


def table(record: dict[str, Any]) -> str:
    """Write what was measured as a table in Markdown."""
    heads = [f"{name} {record['versions'][name].partition('.post')[0]}" for name in COUNTERS]
    lines = [
        f"| what is common | parameters, FLOPs forward | {' | '.join(heads)} |",
        f"|{'---|' * (2 + len(COUNTERS))}",
    ]
    for case in record["cases"]:
        cells = [said(case[name], case["traced"]) for name in COUNTERS]
        params, flops = case["traced"]
        lines.append(f"| {case['what']} | {params:,}, {flops:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def said(found: list[int] | str, true: list[int]) -> str:
    """Say how far an answer is from the true one: of parameters, and of FLOPs."""
    if isinstance(found, str):
        return found
    return ", ".join(off(a, b) for a, b in zip(found, true, strict=True))


def off(found: int, true: int) -> str:
    """Say how far a number is from the true one."""
    if found == true:
        return "exact"
    share = (found - true) / true
    return f"{share:+.{2 if abs(share) < 0.001 else 1}%}".replace("-", "−").replace("%", f"{NBSP}%")


def main() -> int:
    """Measure and record, or print what is recorded."""
    if sys.argv[1:] != ["--table"]:
        RECORD.write_text(json.dumps(measured(), indent=1) + "\n", "utf-8")
    print(table(json.loads(RECORD.read_text("utf-8"))))
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        of = next(case for case in CASES if case.module == sys.argv[2])
        print(json.dumps((COUNTERS | {"traced": traced})[sys.argv[1]](of)))
    else:
        sys.exit(main())
