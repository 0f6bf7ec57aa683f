"""What other tools answer to the same question, at what cost, and how far off.

Run ``benchmarks/tools.py`` with an interpreter that has symledger, torch, transformers and the
tools that are to be asked (torchinfo, calflops, fvcore, thop, ptflops); one that is missing is said
to be missing. Each answer is a process of its own, and the model is built on the meta device, as it
need not fit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = ("gpt2-small", "llama-2-7b", "mixtral-8x7b")
B, T = 1, 128


def model_of(name: str) -> tuple[Any, Any]:
    """Build a published configuration on the meta device, and tokens for it."""
    import torch

    from symledger import derive
    from symledger.checks.transformers.building import build

    found = derive(name).target.configured
    assert found is not None
    model = build(found).to(torch.bfloat16)  # kernels that group experts take no other type
    return model, torch.zeros(B, T, dtype=torch.long, device="meta")


def symledger(name: str) -> tuple[int, int]:
    """Derive both formulas and put the numbers in."""
    from symledger import derive

    account = derive(name, {"B": B, "T": T})
    return account.params.value, account.flops_forward.value


def flop_counter_mode(name: str) -> tuple[int, int]:
    """PyTorch's own counter."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    model, tokens = model_of(name)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(input_ids=tokens)
    return sum(p.numel() for p in model.parameters()), counter.get_total_flops()


def torchinfo(name: str) -> tuple[int, int]:
    """It says multiply-adds."""
    from torchinfo import summary

    model, tokens = model_of(name)
    found = summary(model, input_data={"input_ids": tokens}, verbose=0, device="meta")
    return found.total_params, 2 * found.total_mult_adds


def calflops(name: str) -> tuple[int, int]:
    """It says FLOPs."""
    from calflops import calculate_flops

    model, tokens = model_of(name)
    flops, _, params = calculate_flops(
        model, kwargs={"input_ids": tokens}, print_results=False, output_as_string=False
    )
    return int(params), int(flops)


def fvcore(name: str) -> tuple[int, int]:
    """It says flops and means multiply-adds; it traces, and takes no caches for results."""
    import torch
    from fvcore.nn import FlopCountAnalysis, parameter_count

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.tokens = model_of(name)

        def forward(self, tokens: Any) -> Any:
            return self.model(input_ids=tokens, use_cache=False).logits

    model = Logits()
    found = FlopCountAnalysis(model, model.tokens)
    found.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    return parameter_count(model.model)[""], int(2 * found.total())


def thop(name: str) -> tuple[int, int]:
    """It says multiply-adds."""
    from thop import profile

    model, tokens = model_of(name)
    macs, params = profile(model, inputs=(tokens,), verbose=False)
    return int(params), int(2 * macs)


def ptflops(name: str) -> tuple[int, int]:
    """It says multiply-adds."""
    from ptflops import get_model_complexity_info

    model, tokens = model_of(name)
    macs, params = get_model_complexity_info(
        model, (T,), input_constructor=lambda _: {"input_ids": tokens},
        as_strings=False, print_per_layer_stat=False, verbose=False,
    )  # fmt: skip
    return int(params), int(2 * macs)


TOOLS: dict[str, tuple[str, Callable[[str], tuple[int, int]]]] = {
    "symledger": ("symledger", symledger),
    "FlopCounterMode": ("torch", flop_counter_mode),
    "torchinfo": ("torchinfo", torchinfo),
    "calflops": ("calflops", calflops),
    "fvcore": ("fvcore", fvcore),
    "thop": ("thop", thop),
    "ptflops": ("ptflops", ptflops),
}


def answer(tool: str, name: str) -> None:
    """Print what a tool answers, and what asking cost this process."""
    import resource

    params, flops = TOOLS[tool][1](name)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(json.dumps({"params": params, "flops": flops, "cpu": cpu, "memory": memory}))


def asked(tool: str, name: str) -> dict[str, Any] | str:
    """Ask a tool in a process of its own; return what it answered, or why it did not."""
    ran = subprocess.run(  # noqa: S603  # this very file
        [sys.executable, __file__, tool, name], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip
    if ran.returncode:
        return ran.stderr.strip().splitlines()[-1][:60] if ran.stderr.strip() else "killed"
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


def off(found: int, true: int) -> str:
    """Say how far a number is from the true one."""
    return "exact" if found == true else f"{(found - true) / true:+.2%}"


def main() -> int:
    """Print the table; exit code 1 if symledger's counts are not those that PyTorch has."""
    wrong = 0
    print(f"parameters, and FLOPs of a forward pass at B = {B}, T = {T}")
    print(f"{'':14}{'tool':32}{'parameters':>12}{'FLOPs':>12}{'CPU s':>8}{'MiB':>7}")
    for name in MODELS:
        true = asked("symledger", name)
        assert isinstance(true, dict), true
        for tool, (package, _) in TOOLS.items():
            try:
                said = f"{tool} {version(package)}"
            except PackageNotFoundError:
                print(f"{name:14}{tool:32}not installed")
                continue
            found = true if tool == "symledger" else asked(tool, name)
            if isinstance(found, str):
                print(f"{name:14}{said:32}{found}")
                continue
            params, flops = off(found["params"], true["params"]), off(found["flops"], true["flops"])
            wrong += tool == "FlopCounterMode" and params != "exact"
            cost = f"{found['cpu']:>8.1f}{found['memory']:>7.0f}"
            print(f"{name:14}{said:32}{params:>12}{flops:>12}{cost}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(answer(*sys.argv[1:]) if len(sys.argv) > 1 else main())
