"""What the theme leaves to be done on a built page."""

import pytest

from symledger.site.mkdocs.theme import completed

PAGE = """<html lang="en"><h1><a title="Permanent link">¶</a></h1><p>Made with care</p>
    Made with
    <a href="https://example.org">a theme</a></html>"""
SAID = {
    "en": ("Permanent link", "Made with\n    <a"),
    "es": ("Enlace permanente", "Hecho con\n    <a"),
}


@pytest.mark.parametrize("language", SAID)
def test_what_the_theme_says_in_english_is_said_in_the_language_of_the_page(language):
    html = completed(PAGE, language)
    assert all(said in html for said in (*SAID[language], "Made with care"))
