"""Every witness stands in the file of its topic, once, and is found there."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from symledger.catalogue.component_entries import COMPONENTS
from symledger.checks import torch as folder
from tests.every import EVERY_CASE

FOLDER = Path(folder.__file__).parent
SHARED = {"CASES"}
"""What every file of witnesses has."""


@pytest.fixture
def cases():
    pytest.importorskip("torch", reason="needs PyTorch")
    from symledger.checks.torch import cases

    return cases


def topic(entry):
    """The topic of a component: components.maps.lora:LoRALinear belongs to maps."""
    return entry.definition.split(".")[1]


def file_of(module):
    return Path(module.__file__).relative_to(FOLDER)


@EVERY_CASE
@pytest.mark.parametrize("entry", COMPONENTS, ids=lambda entry: entry.name)
def test_a_component_has_its_witness_where_its_topics_others_are(entry, cases):
    homes = {name: file_of(module) for module in cases.COMPONENTS for name in module.CASES}
    if not homes.get(entry.family, Path()).stem.startswith(topic(entry)):
        file = f"symledger/checks/torch/modules/{topic(entry)}.py"
        pytest.fail(f'{file}: write a row of CASES, "{entry.family}": (Case(…),),', pytrace=False)


def test_every_file_of_witnesses_is_read(cases):
    named = {file_of(module) for module in (*cases.COMPONENTS, *cases.MODELS)}
    files = {path.relative_to(FOLDER) for place in ("modules", "models")
             for path in (FOLDER / place).glob("*.py") if path.stem != "__init__"}  # fmt: skip
    assert files == named, "name it in symledger/checks/torch/cases.py"


def test_a_second_file_about_a_target_is_refused(cases):
    with pytest.raises(ValueError, match="cases of linear, lora_linear"):
        cases.joined([{"lora_linear": (), "linear": ()}, {"linear": (), "lora_linear": ()}])


def defined():
    """The files that define each name at the top of the files of witnesses."""
    found = defaultdict(list)
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found[node.name].append(path.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
                    found[name].append(path.name)
    return found


def test_no_two_files_of_witnesses_define_the_same_name():
    """A page shows a witness with all that it refers to, which is looked for by its name."""
    twice = {name: files for name, files in defined().items() if len(files) > 1}
    assert twice.keys() <= SHARED
