"""What is not installed is said once, with the command that installs it; never a traceback."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from symledger import derive
from symledger.checks.examination import skipped
from symledger.extras import EXTRAS, lack, missing
from tests.documents import ROOT

BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)

sys.meta_path.insert(0, Blocked())
"""
AWAY = "import sys; sys.modules |= dict.fromkeys({blocked!r})\n"
"""Another way in which a module is not there."""
COMMAND = """
sys.argv = ["symledger", *{arguments!r}]
from symledger.__main__ import main
main()
"""
MUTANTS = "import runpy; runpy.run_module('symledger.checks.mutants', run_name='__main__')"


def without(blocked, code, way=BLOCK):
    """Run code in a process that finds none of some modules; what it exits with and says."""
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", way.format(blocked=blocked) + code], capture_output=True, text=True,
        check=False, timeout=200, env={**os.environ, "PYTHONPATH": str(ROOT)}, encoding="utf-8",
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def command(*arguments):
    return COMMAND.format(arguments=arguments)


def test_every_package_of_an_extra_is_known_by_its_modules():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    homes = packages_distributions()
    for extra in ("docs", "torch"):
        needed = {re.split("[>=<]", line)[0] for line in project["optional-dependencies"][extra]}
        if missing(EXTRAS[extra]):
            pytest.skip(f"needs the extra {extra}")
        assert needed <= {home.lower() for module in EXTRAS[extra] for home in homes[module]}


def test_several_packages_are_one_sentence():
    assert lack(["torch"]) == "PyTorch is not installed (pip install 'symledger[torch]')"
    assert lack(["mkdocs", "jinja2", "torch"]) == (
        "MkDocs, Jinja2 and PyTorch are not installed (pip install 'symledger[docs,torch]')"
    )
    assert lack(["unheard_of"]) == "unheard_of is not installed"


@pytest.mark.parametrize("way", [BLOCK, AWAY], ids=["blocked", "away"])
@pytest.mark.parametrize("blocked", [["griffe"], ["jinja2", "markupsafe"], list(EXTRAS["docs"])],
                         ids=["griffe", "jinja2", "all"])  # fmt: skip
def test_a_site_without_what_makes_it_is_refused(blocked, way, tmp_path):
    out = str(tmp_path / "out")
    for words in (("build", "--out", out), ("serve",), ("write", out), ("verify", str(tmp_path))):
        code, said, why = without(blocked, command("site", *words), way)
        assert (code, said) == (2, "")
        assert why.startswith("BadInput: the site cannot be made: ")
        assert why.endswith(" not installed (pip install 'symledger[docs]').\n")
        assert why.count("\n") == 1
        assert not (tmp_path / "out").exists()
    assert without(blocked, command("site", "build", "--help"), way)[0] == 0


@pytest.mark.parametrize("blocked", [["markupsafe"], list(EXTRAS["docs"])], ids=["one", "all"])
def test_nothing_is_recorded_without_what_pages_are_made_with(blocked):
    code, said, why = without(blocked, command("record", "softmax"))
    assert (code, said) == (2, "")
    assert why == f"BadInput: nothing can be recorded: {lack(blocked)}.\n"


def test_a_check_says_whom_it_could_not_ask():
    everything = list(EXTRAS["torch"])
    code, said, why = without(everything, command("check", "softmax"))
    assert (code, why) == (0, "")
    assert f"pytorch: skipped, {lack(['torch'])}\n" in said


@pytest.mark.parametrize(
    ("target", "library"),
    [("bert-base", "transformers"), ("dit-xl-2-256-diffusers", "diffusers"), ("dit-s-8", "")],
)
def test_a_check_says_which_implementation_it_lacks(target, library, monkeypatch):
    for module in EXTRAS["torch"]:
        monkeypatch.setitem(sys.modules, module, None)
    said = [f"{library}: skipped, {lack([library])}"] if library else []
    assert skipped([derive(target)]) == [f"pytorch: skipped, {lack(['torch'])}", *said]


def test_what_is_recorded_with_a_package_is_kept_without_it():
    code, said, why = without(["babel"], command("record", "messages"))
    assert (code, why) == (0, "")
    assert f"messages: kept what needs babel: {lack(['babel'])}\n" in said


def test_mutants_are_not_hunted_without_a_witness():
    code, said, why = without(["torch"], MUTANTS)
    assert (code, said) == (2, "")
    assert why.endswith(f"{lack(['torch'])}.\n")
    assert why.count("\n") == 1


@pytest.mark.parametrize("blocked", [["rich", *EXTRAS["docs"], *EXTRAS["torch"], "babel"]])
@pytest.mark.parametrize(
    "arguments", ["derive mini_gpt", "explain 2362368", "compare gpt2 bert-base", "list"]
)
def test_what_needs_nothing_optional_answers_without(blocked, arguments):
    assert without(blocked, command(*arguments.split()))[::2] == (0, "")
