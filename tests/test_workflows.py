"""What checks and publishes elsewhere: pinned, allowed little, and the same that runs here."""

import re
import tomllib

import pytest
import yaml

from tests.documents import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {file.stem: file.read_text("utf-8") for file in sorted(FOLDER.glob("*.yml"))}
USED = re.compile(r"^\s*(?:- )?uses: (\S+)(?: # (\S+))?$", re.MULTILINE)
WRITING = {"deploy": {"pages": "write", "id-token": "write"}}
"""The jobs that may write, and what: all others may read the repository, and nothing else."""


def jobs(name):
    return yaml.safe_load(WORKFLOWS[name])["jobs"]


def commands(job):
    return [step["run"] for step in job.get("steps", []) if "run" in step]


def test_there_are_those_that_check_one_that_draws_and_one_that_publishes():
    assert set(WORKFLOWS) == {"check", "whole", "types", "publish"}


def test_every_night_the_check_leaves_out_nothing():
    (job,) = jobs("whole").values()
    assert job["env"] == {"EVERYTHING": "true"}
    assert commands(job) == [".ci/run"]


def test_every_night_each_part_of_the_types_is_drawn_for():
    (job,) = jobs("types").values()
    parts = job["strategy"]["matrix"]["part"]
    *_, command = commands(job)
    assert "symledger check --types" in command
    assert command.endswith(f'--shard "$PART/{len(parts)}"')
    assert parts == [*range(1, len(parts) + 1)]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_action_is_pinned_by_its_commit_with_its_version_beside_it(name):
    found = USED.findall(WORKFLOWS[name])
    assert len(found) == WORKFLOWS[name].count("uses:")
    outside = [pair for pair in found if not pair[0].startswith("./")]
    assert outside
    for action, version in outside:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r"v\d+\.\d+\.\d+", version), action


def test_one_action_has_one_version():
    found = {pair for text in WORKFLOWS.values() for pair in USED.findall(text)}
    assert len({action.partition("@")[0] for action, _ in found}) == len(found)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_job_may_do_what_it_has_to_and_no_more(name):
    assert yaml.safe_load(WORKFLOWS[name])["permissions"] == {"contents": "read"}
    given = {job: said["permissions"] for job, said in jobs(name).items() if "permissions" in said}
    assert given.items() <= WRITING.items()
    checkouts = [s for job in jobs(name).values() for s in job.get("steps", [])
                 if s.get("uses", "").startswith("actions/checkout@")]  # fmt: skip
    assert all(step["with"] == {"persist-credentials": False} for step in checkouts)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_command_takes_words_that_others_wrote(name):
    """What stands in ${{ … }} is put into a script before the shell reads it."""
    assert not [run for job in jobs(name).values() for run in commands(job) if "${{" in run]


def test_the_check_is_ours_with_the_oldest_python_that_is_promised():
    (job,) = jobs("check").values()
    assert commands(job) == [".ci/run"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = "".join(WORKFLOWS.values())
    versions = re.findall(r'python-version: "(.+)"', text)
    assert len(versions) == text.count("actions/setup-python@")
    assert {f">={version}" for version in versions} == {project["requires-python"]}


def test_what_is_published_was_checked_built_and_verified():
    found = jobs("publish")
    assert found["check"] == {"uses": "./.github/workflows/check.yml"}
    assert (found["build"]["needs"], found["deploy"]["needs"]) == ("check", "build")
    *_, build, verify = commands(found["build"])
    assert build == ".venv/bin/symledger site build --out site"
    assert verify == ".venv/bin/symledger site verify site"
    assert found["build"]["steps"][-1]["with"] == {"path": "site"}


def test_what_runs_before_a_commit_is_what_the_check_runs():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repository["repo"] == "local"
    hooks = {hook["id"]: hook for hook in repository["hooks"]}
    assert {hook["language"] for hook in hooks.values()} == {"system"}
    assert hooks["ruff"]["entry"].startswith("ruff check")
    assert (hooks["mypy"]["entry"], hooks["mypy"]["pass_filenames"]) == ("mypy", False)
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert {".venv/bin/ruff check .", ".venv/bin/mypy"} <= set(script)
