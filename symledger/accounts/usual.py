"""The way in which a model is usually run, and the command that asks for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from symledger.accounts.account import Account
from symledger.errors import SymledgerError
from symledger.ledger import recipes
from symledger.ledger.conventions import DTYPES

USUAL = "bf16"
"""The type that decoders are published and served in, unless they say another."""
STORED = {
    "float64": "fp64", "double": "fp64", "float32": "fp32", "float": "fp32", "float16": "fp16",
    "half": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8",
    "int8": "int8",
}  # fmt: skip
"""Types as configurations name them (``torch_dtype``, ``dtype``), and what they are here."""
FLASH = {"flash": True}


@dataclass(frozen=True)
class Usual:
    """A type, whether attention is fused, and the command; ``stated`` by the configuration."""

    dtype: str
    flash: bool
    stated: bool
    command: str


def usual(account: Account) -> Usual | None:
    """Return how a model is usually run, None where that is no other way than the one shown.

    A decoder is run in the type that its configuration names, else in bf16, its attention fused
    where that is a choice. Of another model something is said only where its configuration does.
    """
    stated = stored(account)
    dtype = stated or USUAL
    other = DTYPES[dtype] != account.conventions.value_bytes
    decodes = bool(account.target.component.decoding)
    if not (decodes or (stated and other)):
        return None
    fuses = _fuses(account)
    if not (other or fuses):
        return None
    flash = fuses or account.target.options.get("flash") is True
    return Usual(dtype, flash, bool(stated), " ".join(_command(account, dtype, flash)))


def stored(account: Account) -> str:
    """Return the type that a configuration names, where it is one of ours."""
    given = account.target.configured.given if account.target.configured else {}
    named = (given.get(key) for key in ("dtype", "torch_dtype"))
    said = next((name for name in named if isinstance(name, str)), "")
    return STORED.get(said.removeprefix("torch."), "")


def _fuses(account: Account) -> bool:
    """Whether attention that is not fused could be; beside some choices it cannot."""
    if account.target.options.get("flash") is not False:
        return False
    try:
        account.target.with_options(FLASH).program()
    except SymledgerError:
        return False
    return True


def _command(account: Account, dtype: str, flash: bool) -> Iterator[str]:
    """Yield the words of the command, with the sizes and equations that were asked for."""
    request = account.request
    choices = {"flash": "true"} if flash else {}
    recipe = recipes.named({"dtype": dtype}, choices)
    own = {name: value for name, value in request.settings.items() if name not in FLASH}
    settings = own if recipe else {**own, **choices}
    yield f"symledger derive {shlex.quote(request.target)}"
    for name, value in settings.items():
        yield f"--set {shlex.quote(f'{name}={value}')}"
    for equation in request.equations:
        yield f"--assume {shlex.quote(equation)}"
    yield f"--recipe {recipe}" if recipe else f"--dtype {dtype}"
