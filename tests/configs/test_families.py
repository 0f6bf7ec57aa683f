"""A family is one folder and a line of the catalogue, and what is forgotten of it is named."""

import json
import pkgutil
import subprocess
import sys
from dataclasses import fields
from importlib import import_module

import pytest

import symledger.models
from symledger.catalogue import checkpoints as published
from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import BY_NAME, ENTRIES
from symledger.catalogue.entry import Entry
from symledger.catalogue.texts import files
from symledger.config_keys.family import Built, Family
from symledger.configs import families
from symledger.configs.families import READERS, every_described, every_family
from symledger.configs.read import check_reader, entry_of, read
from symledger.configs.read import published as read_published
from symledger.errors import BadInput, DefinitionError
from symledger.targets.resolve import resolve

FOLDERS = [found.name for found in pkgutil.iter_modules(symledger.models.__path__)]
ENTRIES_IN = "symledger/catalogue/model_entries.py"


def folder(entry):
    kind, name, _ = entry.definition.partition(":")[0].split(".")
    assert kind == "models"
    return name


@pytest.mark.parametrize("name", [name for name in FOLDERS if name != "shared"])
def test_every_folder_has_an_entry_and_every_reading_in_it_too(name):
    assert name in map(folder, (e for e in ENTRIES if e.kind == "model")), f"add to {ENTRIES_IN}"
    if not (published.MODELS / name / "config.py").exists():
        return
    module = import_module(f"symledger.models.{name}.config")
    found = {key: value for key, value in vars(module).items() if isinstance(value, Family)}
    known = {family.model_type for family in every_described()}  # parts are read as well
    assert not [k for k, f in found.items() if f.model_type not in known], f"add to {ENTRIES_IN}"


def test_what_a_family_has_lies_in_its_folder():
    for file in sorted(published.MODELS.glob("*/checkpoints/*.json")):
        for name in json.loads(file.read_text("utf-8")):
            entry = BY_NAME[entry_of(checkpoints()[name])]
            assert file.parents[1].name == folder(entry), f"{name} in {file}"
    for entry in ENTRIES:
        if entry.kind == "model" and entry.family == entry.name:
            file = published.MODELS / folder(entry) / "texts" / "en" / f"{entry.name}.toml"
            assert files("en").get(entry.name) == file, f"write {file}"


def test_a_family_is_read_without_others():
    code = "import sys; from symledger import derive; derive('llama-3-8b'); print(*sys.modules)"
    found = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    read = [name for name in found.stdout.split() if name.endswith(".config")]
    assert [name for name in read if name.startswith("symledger.")] == [
        "symledger.models.llama.config"
    ]


ANYWHERE = {"T", "S", "B", "H", "W", "P", "T_w", "T_f", "T_img", "T_ins", "D"}
"""Sizes of what a model is given."""
NOWHERE = ("windows", "none")
"""What a decoder inside says of windows, which one that has none of its own need not be told."""


@pytest.mark.parametrize("family", every_family(), ids=lambda family: family.model_type)
def test_what_a_reading_sets_is_a_size_or_a_choice_of_what_it_builds(family):
    """A name that the definition does not have would be left out, and the count be another one."""
    known = set(ANYWHERE)
    for built in family.builds.values():
        known |= {f.name for f in fields(resolve(built.entry).component)}
    said = {*family.implied, *(name for built in family.builds.values() for name in built.options)}
    uses = (family.uses, *(built.uses for built in family.builds.values()))
    for key, use in (item for some in uses for item in some.items()):
        said |= {*use.called(key), *getattr(use, "also", ()), getattr(use, "option", "T")}
    for known_one in checkpoints().values():
        if known_one.config.get(family.key) == family.model_type:
            found = read(known_one.config)
            told = {name for name, value in found.settings.items() if (name, value) != NOWHERE}
            said |= told if found.family is family else set()
    file = families.home(family.key, family.model_type)
    assert said - known == set(), f"{file} sets these, which nothing that it builds has"


def entry(**given):
    return Entry("new", "models.llama.model:Llama", "model", **given)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Entry("new", "models.new.model:New", "model"),
         f"there is no symledger/models/new/model.py, .* with New in it, .* in {ENTRIES_IN}"),
        (Entry("new", "components.maps.new:New"),
         "there is no symledger/components/maps/new.py, .*/component_entries.py"),
        (Entry("new", "models.llama.model:Lama", "model"),
         f"symledger/models/llama/model.py has no Lama, .* in {ENTRIES_IN}"),
    ],
)  # fmt: skip
def test_an_entry_names_the_file_that_it_lacks(made, said):
    with pytest.raises(DefinitionError, match=said):
        made.load()


def test_a_module_that_fails_inside_is_not_said_to_be_missing(tmp_path, monkeypatch):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "model.py").write_text("import there_is_none\n")
    monkeypatch.setattr(symledger.models, "__path__", [str(tmp_path)])
    said = "symledger/models/new/model.py raised ModuleNotFoundError.* 'there_is_none'"
    with pytest.raises(DefinitionError, match=said):
        Entry("new", "models.new.model:New", "model").load()


def test_an_entry_that_has_no_sizes_says_where_they_belong():
    with pytest.raises(DefinitionError, match=r"CONFIGURATIONS in symledger/models/gpt2/model.py"):
        Entry("new", "models.gpt2.model:GPT2", "model", configured=True).configuration()


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Entry("new", "models.vgg.model:VGG", "model", reads={"new": "NEW"}),
         f"no symledger/models/vgg/config.py, .* with NEW in it, .* in {ENTRIES_IN}"),
        (entry(reads={"new": "NEW"}), f"llama/config.py has no NEW, .* in {ENTRIES_IN}"),
        (entry(reads={"new": "LLAMA"}), "LLAMA in .* and is of model_type llama: correct"),
        (entry(reads={"new": "DENSE"}), "DENSE in symledger/models/llama/config.py is .* none"),
    ],
)  # fmt: skip
def test_what_an_entry_reads_has_to_be_in_its_folder(made, said, monkeypatch):
    monkeypatch.setattr(families, "READERS", {"model_type": {"new": made}})
    with pytest.raises(DefinitionError, match=said):
        families.loaded.__wrapped__("model_type", "new")


def test_a_family_that_builds_no_entry_is_refused(monkeypatch):
    other = Family("llama", {"LlamaModel": Built("lama")}, {})
    monkeypatch.setattr("symledger.models.llama.config.LLAMA", other)
    with pytest.raises(DefinitionError, match=r"llama/config.py builds lama, which is no entry"):
        families.loaded.__wrapped__("model_type", "llama")


def test_two_entries_do_not_read_the_same():
    assert list(READERS["model_type"])[:2] == ["openai-gpt", "gpt2"]
    with pytest.raises(DefinitionError, match=f"{ENTRIES_IN} read llama: new and new"):
        families._readers([("llama", entry()), ("llama", entry())])


def test_defaults_that_were_not_written_down_are_asked_for():
    with pytest.raises(DefinitionError, match=r"reference_defaults.json: `.*` writes"):
        Family("new", {}, {}).facts  # noqa: B018  # it is a property


ROW = {"source": "a paper", "config": {"model_type": "llama"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "models/new/checkpoints/new.json cannot be read: Expecting"),
        ("[]", "models/new/checkpoints/new.json cannot be read"),
        ('{"new": {"sources": "a paper"}}', "unexpected keyword argument 'sources'"),
        (json.dumps({"old": ROW}), "old stands in .*/new.json and in .*/old.json"),
    ],
)
def test_a_file_of_checkpoints_that_cannot_be_read_is_named(text, said, tmp_path, monkeypatch):
    monkeypatch.setattr(published, "MODELS", tmp_path / "symledger" / "models")
    for name, content in (("new", text), ("old", json.dumps({"old": ROW}))):
        (published.MODELS / name / "checkpoints").mkdir(parents=True)
        (published.MODELS / name / "checkpoints" / f"{name}.json").write_text(content)
    with pytest.raises(DefinitionError, match=said):
        checkpoints.__wrapped__()


@pytest.mark.parametrize(
    ("says", "error"),
    [
        ({"linear_attention": True}, "the key linear_attention = True is not understood"),
        ({"architectures": ["LlamaForEverything"]}, "LlamaForEverything is not supported"),
    ],
)
def test_a_checkpoint_that_is_not_understood_is_said_with_the_file_that_reads_it(says, error):
    made = published.Checkpoint("new", "a paper", {**ROW["config"], **says})
    said = f"the checkpoint new, which symledger/models/llama/config.py reads: {error}"
    with pytest.raises(BadInput, match=said):
        read_published(made)


def test_a_checkpoint_of_no_family_says_where_one_is_read():
    made = published.Checkpoint("new", "a paper", {"model_type": "new"})
    with pytest.raises(DefinitionError, match=f"new is of model_type new, .* in {ENTRIES_IN}"):
        check_reader(made)
