"""Who may import whom, and what no source may call: the rules that keep the parts apart."""

import ast
import importlib
import inspect
import pkgutil
from dataclasses import MISSING, fields
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from sympy import Expr, Integer, expand

import symledger
import symledger.components
import symledger.models
from symledger.catalogue import ENTRIES
from symledger.core.component import Component, trace
from symledger.errors import DefinitionError
from symledger.expressions import parse_expression
from symledger.readings.flops import contraction_flops, pointwise_flops
from symledger.readings.params import active_params, params
from symledger.readings.pullback import pullback
from symledger.readings.saved import saved
from symledger.readings.traffic import state, traffic
from symledger.sizes import BY_NAME, Size, V_seg, Y

ROOT = Path(symledger.__file__).parent


def module_name(path):
    inner = path.relative_to(ROOT.parent).with_suffix("")
    return ".".join((inner.parent if inner.name == "__init__" else inner).parts)


SOURCES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}

ONLY = {
    # a layer, and all that it may import of symledger beside itself
    "sizes": {"errors"},
    "errors": set(),
    "core": {"sizes", "errors"},
    "components": {"sizes", "errors", "core"},
    "models": {"sizes", "errors", "core", "components"},
    "readings": {"sizes", "errors", "core"},
}
NEVER = {
    # a layer above those, and what it may not import
    "ledger": {"components", "models", "catalogue", "checks", "derivation"},
    "derivation": {"components", "models", "catalogue", "checks"},
}
FRONT = {"cli", "commands", "site", "__main__"}
"""What imports everything and is imported by nothing below."""
EVIDENCE = {"checks"} | FRONT
"""Who may import the checks: a formula is derived without them."""
OUTSIDE = {
    # a package, and the only parts that may import it
    "numpy": {"readings.numeric", "checks", "explain"},
    "click": FRONT,
    "rich": FRONT | {"report"},
    "torch": {"checks"},
    "mkdocs": {"site"},
    "jinja2": {"site"},
    "griffe": {"site"},
}
REFUSED = {"eval", "exec", "sympify", "simplify", "parse_expr"}


@cache
def tree(module):
    return ast.parse(SOURCES[module].read_text(encoding="utf-8"))


@cache
def imports(module):
    """Every module that a module imports anywhere in its source, also where only types need it."""
    package = module if SOURCES[module].name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join((above if node.level else []) + ([node.module] if node.module else []))
            inner = {f"{base}.{alias.name}" for alias in node.names} & set(SOURCES)
            found |= inner or {base}
    return found


def layer(module):
    """The part of symledger that a module belongs to; the package itself is the front door."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def own(module):
    """The layers of symledger, other than its own, that a module imports."""
    used = {layer(name) for name in imports(module) if name.split(".")[0] == "symledger"}
    return used - {layer(module), ""}


def test_the_walk_sees_the_imports_that_are_there():
    assert "symledger.core.component" in imports("symledger.components.linear")
    assert "symledger.sizes" in imports("symledger.components.linear")
    assert own("symledger.core.tensor") == {"errors"}
    assert own("symledger.readings.numeric") == {"core", "errors"}
    assert "numpy" in imports("symledger.readings.numeric")


@pytest.mark.parametrize("module", [m for m in SOURCES if layer(m) in ONLY])
def test_a_lower_layer_imports_only_those_below_it(module):
    assert own(module) <= ONLY[layer(module)]


@pytest.mark.parametrize("module", [m for m in SOURCES if layer(m) in NEVER])
def test_ledger_and_derivation_know_no_component_and_no_check(module):
    assert not own(module) & NEVER[layer(module)]


@pytest.mark.parametrize("module", [m for m in SOURCES if layer(m) not in ("", *FRONT)])
def test_nothing_imports_the_front(module):
    assert not own(module) & FRONT
    assert "checks" not in own(module) or layer(module) in EVIDENCE


@pytest.mark.parametrize("package", OUTSIDE)
def test_a_package_from_outside_is_imported_only_where_it_is_meant(package):
    users = {m.removeprefix("symledger.") for m in SOURCES if package in top_level(m)}
    allowed = OUTSIDE[package]
    assert {u for u in users if u not in allowed and u.split(".")[0] not in allowed} == set()


def top_level(module):
    return {name.split(".")[0] for name in imports(module)}


def called(node):
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


@pytest.mark.parametrize("module", SOURCES)
def test_no_source_calls_what_the_design_refuses(module):
    """Nothing a user or a file supplies is run; nothing is simplified or left unevaluated."""
    calls = [node for node in ast.walk(tree(module)) if isinstance(node, ast.Call)]
    assert not {called(call.func) for call in calls} & REFUSED
    unevaluated = [k for call in calls for k in call.keywords if k.arg == "evaluate"]
    assert not [k for k in unevaluated if getattr(k.value, "value", None) is False]


# Every symbol and option of a definition shows in some formula.

BYTES = {"value": Integer(2), "statistic": Integer(4), "mask": Integer(1), "index": Integer(8)}


def defined(package):
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for _, cls in inspect.getmembers(module, inspect.isclass):
            own_forward = issubclass(cls, Component) and cls.forward is not Component.forward
            given = [f.name for f in fields(cls) if f.default is MISSING] if own_forward else []
            if own_forward and cls.title and cls.__module__ == found.name and not given:
                yield cls


ASKED = {entry.definition.partition(":")[2] for entry in ENTRIES}
"""What can be asked about by name; the parts that families have for themselves are in them."""
DEFINED = [
    *defined(symledger.components),
    *(cls for cls in defined(symledger.models) if cls.__name__ in ASKED),
]


def traced(component):
    """Record a component on the inputs that the catalogue has for it."""
    name = type(component).__name__
    asked = (e for e in ENTRIES if e.inputs and e.definition.endswith(f":{name}"))
    entry = next((e for e in asked if "cached" not in e.name), None)
    if entry is None:
        return trace(component)
    lengths = {axis: parse_expression(text, BY_NAME) for axis, text in entry.lengths.items()}
    return trace(component, entry.inputs, lengths)


@cache
def formulas(component):
    """Every count of a component, by name."""
    program = traced(component)
    back = pullback(program)
    counts = {
        "params": params(program),
        "active": active_params(program),
        "forward": contraction_flops(program),
        "exact": contraction_flops(program, "exact"),
        "pointwise": pointwise_flops(program),
        "backward": contraction_flops(back),
        "pointwise back": pointwise_flops(back),
        "saved": saved(back, BYTES),
        "traffic": traffic(program, BYTES),
        "state": state(program, BYTES),
    }
    return {name: expand(tally.total) for name, tally in counts.items()}


def choices(cls):
    """(option, value) for every value of every option that is not its default."""
    hints = get_type_hints(cls)
    for option in fields(cls):
        hint = hints[option.name]
        values: tuple[Any, ...] = get_args(hint) if get_origin(hint) is Literal else ()
        if hints[option.name] is bool:
            values = (False, True)
        for value in values:
            if value != option.default and not isinstance(value, type):
                yield option.name, value


def variants(cls):
    yield cls()
    for option, value in choices(cls):
        yield cls(**{option: value})


@pytest.mark.parametrize("cls", DEFINED)
def test_every_declared_symbol_stands_in_some_formula(cls):
    declared = {f.default for f in fields(cls) if isinstance(f.default, Size)}
    found = {s for variant in variants(cls) for s in symbols(variant)}
    for one, other in combinations(choices(cls), 2):  # some stand where two choices are made
        if declared <= found:
            break
        if one[0] != other[0]:
            found |= symbols(cls(**dict((one, other))))
    assert declared - found <= INHERITED.get(cls.__name__, set())


def symbols(variant):
    return {s for e in unless_refused(variant).values() for s in e.free_symbols}


INHERITED = {"DistilBert": {V_seg}, "Whisper": {Y}}
"""Sizes that a family has from what it is made after, and no use for: segments, classes."""


OPTIONS = [(cls, *choice) for cls in DEFINED for choice in choices(cls)]


@pytest.mark.parametrize(("cls", "option", "value"), OPTIONS)
def test_every_option_changes_some_formula_or_is_refused(cls, option, value):
    assert unless_refused(cls(**{option: value})) != unless_refused(cls())


def unless_refused(variant):
    """Return the formulas, and how others decide sizes in them."""
    try:
        return formulas(variant) | traced(variant).definitions
    except DefinitionError:  # by name, which is as good as a formula
        return {}


def test_the_walk_sees_definitions_and_their_options():
    names = {cls.__name__ for cls in DEFINED}
    assert {"Linear", "Attention", "PreLNBlock", "MiniGPT"} <= names
    assert ("MiniGPT", "positions", "learned") in [(c.__name__, o, v) for c, o, v in OPTIONS]
    assert all(isinstance(cls(), Component) for cls in DEFINED)
    assert all(isinstance(e, Expr) for e in formulas(DEFINED[0]()).values())
