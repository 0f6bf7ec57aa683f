"""Who may import whom, as docs/architecture.md says, and what no source may call."""

import ast
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import symledger
from tests import documents

ROOT = Path(symledger.__file__).parent
TABLE = documents.ROOT / "docs" / "architecture.md"
REFUSED = {"eval", "exec", "sympify", "simplify", "parse_expr"}
LIMITED = {
    "numpy", "click", "rich", "torch", "transformers", "diffusers", "mkdocs", "jinja2",
    "markupsafe", "griffe", "zensical", "yaml",
}  # fmt: skip
"""Packages from outside that only some rooms may import; each row of the table says which."""


def module_name(path):
    inner = path.relative_to(ROOT).with_suffix("")
    return ".".join(inner.parent.parts if inner.name == "__init__" else inner.parts)


SOURCES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
"""Every file by its module, as it is called within the package."""


def table():
    """The rows under "Who may import whom": a room or a pattern, the rooms and packages it may."""
    text = TABLE.read_text("utf-8").partition("## Who may import whom")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return {
        room.strip(" `"): (set(named(inside)), set(named(outside)))
        for room, _, inside, outside in rows
    }


def named(cell):
    return re.findall(r"`([^`]+)`", cell)


ROWS = table()


@cache
def room(module):
    """The row that a module belongs to: the most specific pattern that fits."""
    path = module.replace(".", "/") or "symledger"
    fits = [row for row in ROWS if any(fnmatchcase(path, p) for p in (row, f"{row}/*"))]
    return max(fits, key=len, default=None)


@cache
def tree(module):
    return ast.parse(SOURCES[module].read_text(encoding="utf-8"))


def modules(name):
    """The modules that a dotted name means: itself, or the module that it is a name in."""
    name = name.removeprefix("symledger").lstrip(".")
    return {name} if name in SOURCES else {name.rpartition(".")[0]} & set(SOURCES)


@cache
def imports(module):
    """Every import in a source: where only types need it, lazy ones, those by text."""
    found = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports relatively"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if modules(name) == {plain(name)} else node.module for name in inner}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= {f"symledger.{name}" for name in by_text(module, node.value)}
    return found


def plain(name):
    return name.removeprefix("symledger").lstrip(".")


def by_text(module, text):
    """The modules that a text names: ``components.maps.linear:Linear`` in the catalogue."""
    name = text.partition(":")[0].removeprefix("symledger.")
    if name in SOURCES and "." in name:
        yield name
    family = name.removesuffix(".model")
    if module.startswith("catalogue") and f"{family}.config" in SOURCES:
        yield f"{family}.config"  # what an entry reads stands beside its definition


def own(module):
    """The modules of symledger that a module imports, other than itself and its package."""
    used = {m for name in imports(module) if name.split(".")[0] == "symledger"
            for m in modules(name)}  # fmt: skip
    return used - {module}


def test_every_folder_of_sources_is_a_package():
    """Python would import what is in it all the same, and some tools would pass over it."""
    lacking = {path.parent for path in SOURCES.values()} - {
        path.parent for path in SOURCES.values() if path.name == "__init__.py"
    }
    assert not lacking, "write an __init__.py with a line on what the folder holds"


def test_the_walk_sees_the_imports_that_are_there():
    assert {"notation.component", "sizes"} <= own("components.maps.linear")
    assert "numpy" in imports("readings.numpy.interpreter")
    assert "components.maps.linear" in own("catalogue.component_entries")
    assert {"models.llama.model", "models.llama.config"} <= own("catalogue.model_entries")
    assert room("models.llama.config") == "models/*/config"
    assert room("models.shared.decoder") == "models/shared"
    assert room("") == "symledger"


def test_every_room_imports_what_the_table_says_and_all_that_it_says():
    homeless = [module for module in SOURCES if room(module) is None]
    assert homeless == [], f"files in no row of {TABLE.name}"
    used = {}
    for module in SOURCES:
        for other in own(module):
            if room(other) != room(module):
                used.setdefault((room(module), room(other)), []).append(f"{module} -> {other}")
    allowed = {(row, other) for row, (inside, _) in ROWS.items() for other in inside}
    violations = [arrow for pair, arrows in used.items() if pair not in allowed for arrow in arrows]
    assert sorted(violations) == [], f"imports that {TABLE.name} does not allow"
    assert sorted(allowed - used.keys()) == [], f"{TABLE.name} allows what nobody does"


def test_the_table_goes_downwards():
    order = list(ROWS)
    upwards = [(row, other) for row, (inside, _) in ROWS.items() for other in inside
               if other not in order or order.index(other) >= order.index(row)]  # fmt: skip
    assert upwards == [], "a room may import only rooms of rows above its own"


def test_components_and_readings_have_no_arrow_between_them():
    assert "readings" not in ROWS["components"][0] | ROWS["models/*/model"][0]
    assert not {room for room in ROWS["readings"][0] if room.startswith(("components", "models"))}


def test_no_file_imports_itself_by_way_of_others():
    """Not even where only types need it, or within a function."""
    left = {module: own(module) for module in SOURCES}
    while free := [module for module, used in left.items() if not used & left.keys()]:
        for module in free:
            del left[module]
    while free := [m for m in left if not any(m in used for used in left.values())]:
        for module in free:
            del left[module]
    assert left == {}, "files in circles"


def test_a_package_from_outside_is_imported_only_where_it_is_meant():
    found = {(room(m), name.split(".")[0]) for m in SOURCES for name in imports(m)}
    used = {(row, package) for row, package in found if package in LIMITED}
    allowed = {(row, package) for row, (_, outside) in ROWS.items() for package in outside}
    assert used == allowed


def called(node):
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def test_no_source_calls_what_the_design_refuses():
    """Nothing a user or a file supplies is run; nothing is simplified or left unevaluated."""
    found = []
    for module in SOURCES:
        calls = [node for node in ast.walk(tree(module)) if isinstance(node, ast.Call)]
        found += [(module, called(call.func)) for call in calls if called(call.func) in REFUSED]
        found += [(module, "evaluate=False") for call in calls for k in call.keywords
                  if k.arg == "evaluate" and getattr(k.value, "value", None) is False]  # fmt: skip
    assert found == []


def test_models_of_ones_own_import_public_names_alone():
    texts = [*(documents.ROOT / "examples").glob("*.py"), documents.ROOT / "docs" / "own_model.md"]
    found = [re.findall(r"^(?:from|import) (symledger\S*)", file.read_text("utf-8"), re.MULTILINE)
             for file in texts]  # fmt: skip
    assert {name for names in found for name in names} == {"symledger", "symledger.components"}
