"""``symledger trace``: a module that a user wrote in PyTorch, traced, shown and saved."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from symledger.cli.progress import done, progress
from symledger.errors import BadInput, shown
from symledger.extras import require

if TYPE_CHECKING:
    from symledger.accounts.account import Account

EAGER = "eager"
"""The schedule for which it is looked at what is in memory when."""
exit_at_once = os._exit
"""As it is: a module that runs may not leave so."""
SUFFIX = ".trace.json"
EAGERLY = "TORCH_COMPILE_DISABLE", "1"
"""What lets ``torch.compile`` in a module's code be nothing: what it computes is the same."""


def traced(
    module: str, settings: Mapping[str, str], inputs: tuple[str, ...], symbols: tuple[str, ...],
    training: bool, config: str, save: str, schedule: str | None, run: Mapping[str, Any],
) -> Account:  # fmt: skip
    """Trace a module, save the trace if that is asked for, and return its account.

    ``run`` are the conventions by which a step of it is run.

    Raises:
        SymledgerError: it cannot be traced or saved.
    """
    require(["torch"], "a module cannot be traced")
    if save:
        check_place(save)
    keys = configuration(config) if config else None
    progress("importing PyTorch")
    os.environ.setdefault(*EAGERLY)
    from symledger.tracing import account
    from symledger.tracing.runs.limit import Clock

    Clock.given_up = given_up
    try:
        peaks = bool(save) or schedule == EAGER
        made = account.traced(module, settings, inputs, symbols, training, keys, progress, peaks)
        if peaks:
            made = account.looked(made, bool(run.get("accumulate")), run.get("dtype") or "fp32")
    finally:
        done()
    if save:
        from symledger.traces.writing import dumped

        saved(save, dumped(made))
    return account.account_of(made, save or module, schedule=schedule, **run)


def verified(
    path: str, settings: Mapping[str, str], config: str, save: str, schedule: str | None,
    run: Mapping[str, Any],
) -> Account:
    """Compare a saved trace with its module at further sizes, and return its account there.

    Raises:
        CheckFailed: the module does something else there.
        SymledgerError: the trace or its module cannot be read, or not built there.
    """
    require(["torch"], "a trace cannot be verified")
    if save:
        check_place(save)
    from symledger.configs.files import content
    from symledger.traces.reading import loaded

    before = loaded(content(path), path)
    keys = configuration(config) if config else None
    progress("importing PyTorch")
    os.environ.setdefault(*EAGERLY)
    from symledger.tracing import account
    from symledger.tracing.checking import verify

    try:
        progress("running it")
        made = verify.verified_at(before, settings, keys)
    finally:
        done()
    if save:
        from symledger.traces.writing import dumped

        saved(save, dumped(made))
    here = {s: str(n) for s, n in made.points[-1].items() if n != made.sizes[s]}
    return account.account_of(made, save or path, settings=here, schedule=schedule, **run)


def given_up(said: str) -> None:
    """End the process where a module catches all that would stop it."""
    os.write(2, f"{said}\n".encode())
    exit_at_once(2)


def configuration(path: str) -> dict[str, Any]:
    """Read the ``config.json`` that a class is built of."""
    from symledger.configs.document import load

    return dict(load(path))


def check_place(path: str) -> None:
    """Refuse a place where no file can be saved, before anything is traced.

    Raises:
        BadInput: its name would not be taken for that of a trace, or its folder is not there.
    """
    folder = os.path.dirname(path) or "."
    if not path.endswith(".json"):
        raise BadInput(f"--save {shown(path)}: a trace is a file as in model{SUFFIX}.")
    if not os.path.isdir(folder):
        raise BadInput(f"--save {shown(path)}: there is no folder {shown(folder)}.")
    if os.path.isdir(path):
        raise BadInput(f"--save {shown(path)}: that is a folder.")
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadInput(f"--save {shown(path)}: that is no file, and would be replaced by one.")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"--save {shown(path)}: nothing may be written into {shown(folder)}.")


def saved(path: str, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        BadInput: it cannot be written.
    """
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise BadInput(f"--save {shown(path)}: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            os.remove(part)
    sys.stderr.write(f"saved: {path}\n")
