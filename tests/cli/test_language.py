"""The language of a page: that of --lang, or of the terminal; JSON and refusals have none."""

import json

import pytest

from symledger.cli import language
from tests.invoke import assert_refuses, run

HEADINGS = {"derive": "CONVENCIONES", "list": "COMPONENTES", "explain": "DADO POR",
            "compare": "EN QUÉ DIFIEREN"}  # fmt: skip
PAGES = [("derive", "linear"), ("derive", "Linear(768, 3072)"), ("list", "components"),
         ("explain", "16384", "--in", "mini_gpt"),
         ("compare", "mini_gpt", "mini_gpt-small")]  # fmt: skip


@pytest.fixture
def terminal(monkeypatch):
    """A terminal of somebody who reads Spanish."""
    for name in language.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "es_MX.UTF-8")
    monkeypatch.setattr(language, "_on_terminal", lambda: True)


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_a_page_is_in_the_language_asked_for(command):
    english, spanish = run(*command), run(*command, "--lang", "es")
    heading = HEADINGS[command[0]]
    assert (spanish.code, heading in spanish.out, heading in english.out) == (0, True, False)
    assert run(*command, "--lang", "es_AR").out == spanish.out
    assert run(*command, "--lang", "en").out == english.out


@pytest.mark.parametrize("command", PAGES, ids=" ".join)
def test_json_has_no_language(command):
    found = run(*command, "--json", "--lang", "es")
    assert found == run(*command, "--json")
    assert json.loads(found.out)["schema"]


def test_the_environment_decides_on_a_terminal_and_nowhere_else(terminal, monkeypatch):
    assert language.shown_in(None) == "es"
    assert language.shown_in("en") == "en"
    monkeypatch.setenv("LC_ALL", "C")
    assert language.shown_in(None) == "en"
    monkeypatch.setenv("LC_ALL", "fr_FR")
    assert language.shown_in(None) == "en"
    monkeypatch.setenv("LC_ALL", "es")
    monkeypatch.setattr(language, "_on_terminal", lambda: False)
    assert language.shown_in(None) == "en"


@pytest.mark.parametrize("code", ["xx", "", "spanish", "e\ns", "1", "../es"])
def test_a_language_that_is_not_there_is_refused_with_the_known_ones(code):
    assert_refuses("list", "--lang", code, said="no catalogue of messages.* (en|es)")


def test_refusals_are_in_english():
    assert_refuses("derive", "mini_gtp", "--lang", "es", code=3, said="is not in the catalogue")
