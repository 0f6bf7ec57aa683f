"""The page that counts what a language lacks: all texts, of components and of models."""

from symledger.catalogue import texts
from symledger.catalogue.entries import ENTRIES
from symledger.site.html.templating import Templates
from symledger.site.kinds import translation
from symledger.site.kinds.translation import Translation
from symledger.site.tongues import Tongue
from tests.site.whole import ATLAS


def test_every_text_is_counted_once_and_every_one_that_is_missing() -> None:
    rows, named = Translation(ATLAS, "es").texts, {entry.name for entry in ENTRIES}
    english, own = ({*texts.files(language)} & named for language in ("en", "es"))
    counted = [entry.name for row in rows for entry in row.entries]
    assert sorted(counted) == sorted(english)
    assert {entry.name for row in rows for entry in row.missing} == english - own
    assert {entry.name for row in rows for entry in row.stale} == {*texts.stale("es")}


def test_what_is_stale_is_named(monkeypatch) -> None:
    monkeypatch.setattr(texts, "stale", lambda language: {"linear": "0", "gpt2": "0"})
    templates = Templates(Tongue("es", frozenset({translation.PATH})))
    (page,) = translation.pages(ATLAS, templates)
    assert "Aplicaciones lineales, desfasados: [Capa lineal]" in page.merged
    assert "Modelos, desfasados: [GPT-2]" in page.merged
