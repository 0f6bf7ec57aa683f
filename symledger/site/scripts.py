"""The witnesses as scripts that anybody can run: PyTorch alone, nothing of ours.

A script is the source of a witness with all that it refers to, word for word, the call that makes
it at the sizes of a page, and lines that print what the page says. The call is on record; the
source is read as text, so that no PyTorch is needed to show it.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import symledger.checks
from symledger import records
from symledger.accounts.account import Account
from symledger.catalogue.entry import Entry
from symledger.catalogue.texts import text_of
from symledger.checks.entering import entering
from symledger.checks.exact import whole
from symledger.ir.tensor import Tensor
from symledger.site.text.examples import settings

if TYPE_CHECKING:
    from symledger.site.atlas import Atlas

FILE = records.FOLDER / "scripts.json"
WITNESSES = Path(symledger.checks.__file__).parent / "torch"
WIDTH = 78


@dataclass(frozen=True)
class Definition:
    """One definition at the top of a file of witnesses: its source, and the names in it."""

    source: str
    names: tuple[str, ...]


Import = tuple[str, str]
"""A module and what is imported of it; no module where it is imported itself."""


@cache
def sources() -> tuple[Mapping[str, Definition], Mapping[str, Import]]:
    """Return all definitions of the witnesses, and the import that each foreign name is of."""
    defined: dict[str, Definition] = {}
    imported: dict[str, Import] = {}
    for file in sorted(WITNESSES.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                imported |= dict(_imports(node))
            else:
                defined |= dict.fromkeys(_defines(node), _definition(text, node))
    return defined, imported


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
    home = getattr(node, "module", None)
    for alias in node.names if not str(home).startswith(("symledger", "__")) else ():
        word = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
        yield alias.asname or alias.name, (home or "", word)


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _definition(text: str, node: ast.stmt) -> Definition:
    source = ast.get_source_segment(text, node) or ""
    plain = re.sub(r"  # (noqa|fmt|type):.*", "", source)
    return Definition(plain, tuple(dict.fromkeys(_names(node))))


def _names(node: ast.AST) -> Iterator[str]:
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def closure(expression: str) -> tuple[list[str], set[Import]]:
    """Return the definitions that an expression needs, those first that others need; imports."""
    defined, imported = sources()
    found: dict[str, None] = {}
    foreign: set[Import] = set()

    def follow(name: str) -> None:
        if name in imported:
            foreign.add(imported[name])
        elif name in defined and defined[name].source not in found:
            for other in defined[name].names:
                if other != name:
                    follow(other)
            found[defined[name].source] = None

    for name in _names(ast.parse(expression)):
        follow(name)
    return list(found), foreign


def _sorted(found: set[Import]) -> list[str]:
    """Write the imports, what comes with Python first, one line a module."""
    names: dict[str, list[str]] = {}
    for home, word in sorted(found):
        names.setdefault(home, []).append(word)
    lines = [f"from {home} import {', '.join(words)}" for home, words in names.items() if home]
    lines += [f"import {word}" for word in names.get("", ())]
    return sorted(lines, key=lambda line: ("torch" in line, line.startswith("from"), line))


def read_in(sources: list[str]) -> set[str]:
    """Return every text that stands in some definitions: a size or choice not named is not read."""
    nodes = (node for source in sources for node in ast.walk(ast.parse(source)))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


@dataclass(frozen=True)
class Call:
    """What makes a witness: a call that speaks of ``sizes`` and ``choices``, and what it is."""

    said: str
    call: str
    sizes: Mapping[str, int]
    choices: Mapping[str, Any]


@cache
def calls() -> Mapping[str, Call]:
    """Return what was written down, by component."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return {name: Call(**call) for name, call in known.items()}


def at_page(atlas: Atlas, entry: Entry) -> Account:
    """Return a component at the sizes of its page."""
    return atlas.account(entry.name, **settings(atlas.account(entry.name), text_of(entry.name)))


@dataclass(frozen=True)
class Script:
    """A script in two parts: definitions, where there are some, and what is run."""

    definitions: str
    run: str

    @property
    def code(self) -> str:
        """All of it; what it prints stands in its comments at the start of a line."""
        return "\n\n".join(filter(None, (self.definitions, self.run)))


def script(call: Call, account: Account) -> Script:
    """Write the script of a component at the sizes of an account."""
    found, imported = closure(call.call)
    double = any(".double()" in source for source in found)
    imported.add(("", "torch"))
    if "flops.forward" in account.quantities:
        imported.add(("torch.utils.flop_counter", "FlopCounterMode"))
    imports = "\n".join(_sorted(imported))
    tables = [_table(name, values) for name, values in
              (("sizes", call.sizes), ("choices", call.choices))
              if re.search(rf"\b{name}\b", call.call)]  # fmt: skip
    run = "\n".join((*tables, *([""] if tables else []), *_run(call, account, double)))
    if not found:
        return Script("", f"{imports}\n\n{run}")
    lines = "\n".join(source for source in found if "\n" not in source)
    rest = (f"\n{source}\n" for source in found if "\n" in source)
    definitions = "\n\n".join(filter(None, (imports, lines, *rest)))
    return Script(definitions.replace("\n" * 4, "\n" * 3), run)


def _table(name: str, values: Mapping[str, Any]) -> str:
    words = (f'"{k}": {json.dumps(v) if isinstance(v, str) else v}' for k, v in values.items())
    line = f"{name} = {{{', '.join(words)}}}"
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * (len(name) + 4))


def _run(call: Call, account: Account, double: bool) -> Iterator[str]:
    counted = "flops.forward" in account.quantities
    if account.target.component.chances:
        yield 'with torch.device("cpu"):  # some of its values have bounds'
    else:
        yield 'with torch.device("meta"):  # shapes alone: neither values nor memory'
    yield f"    module = {call.call}{'.double()' * double}"
    yield "    inputs = ["
    yield from (f"        {line}," for line in _inputs(account, double))
    yield "    ]"
    yield from COUNTED if counted else ("    result = module(*inputs)",)
    yield 'print(f"{sum(p.numel() for p in module.parameters()):,} parameters")'
    yield f"# {exactly(account, 'params')} parameters"
    if counted:
        yield 'print(f"{counter.get_total_flops():,} FLOPs")'
        yield f"# {exactly(account, 'flops.forward')} FLOPs"
    yield "results = result if isinstance(result, tuple) else (result,)"
    yield "print(*(tuple(y.shape) for y in results))"
    yield f"# {' '.join(str(_shape(account, t)) for t in account.program.outputs)}"


COUNTED = (
    "    with FlopCounterMode(display=False) as counter:",
    "        result = module(*inputs)",
)


def exactly(account: Account, name: str) -> str:
    """Write a count; it is whole at the sizes of a page."""
    return f"{whole(account[name].expr, account.assumed.bindings):,}"


def _inputs(account: Account, double: bool) -> Iterator[str]:
    for t in entering(account.program):
        shape, below = _shape(account, t), t.op.below
        if below is not None:
            yield f"torch.randint({whole(below, account.assumed.bindings)}, {shape})"
        else:
            lengths = ", ".join(map(str, shape))
            draw = "rand" if t.op.name in account.target.component.chances else "randn"
            yield f"torch.{draw}({lengths}{', dtype=torch.double' * double})"


def _shape(account: Account, t: Tensor) -> tuple[int, ...]:
    return tuple(whole(length, account.assumed.bindings) for length in t.shape)
