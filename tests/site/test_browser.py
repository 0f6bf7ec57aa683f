"""A page of each kind in a browser: light, dark, on a phone, from a file, without JavaScript."""

import re
from pathlib import Path

import pytest

from tests.site.whole import ALONE, FOLDERS, KINDS, OTHER, longest_leading_forms, page_of

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
CONTRAST = ["color-contrast", "link-in-text-block"]
AUDITS = """
() => {
    const serious = ({violations}) => violations
        .filter(({impact}) => ["serious", "critical"].includes(impact))
        .map(({id, nodes}) => [id, ...nodes.slice(0, 3).flatMap(n => [n.html, n.failureSummary])]);
    document.querySelectorAll("math").forEach(e => { e.textContent = "x"; });
    const audit = async (where, runOnly, rules = {}) => serious(
        await axe.run(where, {preload: false, resultTypes: ["violations"], runOnly, rules}));
    const way = (e) => e && [e.localName, ...["class", "style"].map(a => e.getAttribute(a)),
                             way(e.parentElement)];
    const written = (e) => [...e.childNodes].some(
        n => n.nodeType == Node.TEXT_NODE && n.data.trim());
    const shaded = (e) => getComputedStyle(e).backgroundImage.includes("gradient");
    const unshade = () => [...document.querySelectorAll("article *")].filter(shaded)
        .forEach(e => { e.style.backgroundImage = "none"; });
    const still = () => document.getAnimations().filter(a => a instanceof CSSTransition)
        .forEach(a => a.finish());
    window.ofAll = (tags, without) => audit(document, tags,
        Object.fromEntries(without.map(rule => [rule, {enabled: false}])));
    window.ofEachWay = (rules) => {
        unshade();
        still();
        const seen = [...document.querySelectorAll("body *")]
            .filter(e => written(e) && e.checkVisibility() && e.localName != "math");
        const one = new Map(seen.map(e => [JSON.stringify(way(e)), e]));
        return audit({include: [...one.values()]}, rules);
    };
}
"""
"""Two functions: what is wrong on the page; what is in one text of each way of writing on it.

Within a formula nothing is looked at, and nothing is left of it: it is half of what there is.
A colour is decided by the names and classes around a text: thousands need not be looked at. The
shadows of boxes that scroll are taken away for it, as no contrast with a gradient is measured, and
colours that change slowly have changed.
"""
WIDTH = "document.documentElement.scrollWidth"
SETTLED = """
async (room) => {
    const width = () => document.documentElement.scrollWidth;
    for (let waited = 0; waited < 50 && width() > room; waited++)
        await new Promise(done => setTimeout(done, 100));
    return width();
}
"""
"""How wide a page is, at most five seconds after the window has changed: the theme's box for the
search takes a moment to get to its place."""
CLIPPED = """
[...document.querySelectorAll("article *")].filter(e => e.checkVisibility()
    && e.getBoundingClientRect().right > innerWidth + 1
    && !e.closest(".scroll, .formula, .wide, .highlight, pre, svg, math, .md-typeset__scrollwrap"))
    .map(e => e.outerHTML.slice(0, 120))
"""

HIDDEN = """
[...document.querySelectorAll("article .scroll")].filter(e => e.checkVisibility()
    && e.scrollWidth > e.clientWidth + 1).map(e => e.innerText.slice(0, 120))
"""
"""Tables that are wider than their boxes, those that are folded left out."""


@pytest.fixture(scope="session")
def axe():
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def test_the_kinds_of_pages_are_these(site):
    paths = [path for path in site.pages if not path.startswith(f"{OTHER}/")]
    found = {Path(path).parent.as_posix() for path in paths}
    assert {re.sub("^models/.*", "models/llama", folder) for folder in found} == {".", *FOLDERS}
    assert {path.removesuffix(".md") for path in paths if "/" not in path} == {*ALONE}


def test_the_kinds_of_pages_of_another_language_are_these(site):
    assert [*site.tongues] == ["en", OTHER]
    own = [path.removeprefix(f"{OTHER}/") for path in site.pages if path.startswith(f"{OTHER}/")]
    found = {Path(path).parent.as_posix() for path in own}
    assert found == {".", *(folder for folder in FOLDERS if folder not in ("f", "models/llama"))}
    alone = {path.removesuffix(".md") for path in own if "/" not in path}
    assert alone - {*ALONE} == {"glossary", "translation"}
    assert {path for path in own if path not in site.pages} == {"glossary.md", "translation.md"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_each_kind(page, built, axe, kind):
    page.goto((built / page_of(kind)).with_suffix(".html").as_uri())
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        assert page.evaluate(SETTLED, size["width"]) <= size["width"]
        assert page.evaluate(CLIPPED) == []
    assert page.evaluate(HIDDEN) == []
    page.evaluate(axe)
    page.evaluate(AUDITS)
    assert page.evaluate("([tags, without]) => ofAll(tags, without)", [WCAG, CONTRAST]) == []
    assert page.evaluate("rules => ofEachWay(rules)", CONTRAST) == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("body[data-md-color-scheme=slate]")
    assert page.evaluate("rules => ofEachWay(rules)", CONTRAST) == []


def test_the_longest_leading_forms_scroll_in_their_own_boxes(page, built):
    found = longest_leading_forms()
    assert len(found) == 8
    page.set_viewport_size(PHONE)
    for path in found:
        page.goto((built / path).with_suffix(".html").as_uri())
        assert (path, page.evaluate(WIDTH)) == (path, PHONE["width"])
        assert (path, page.evaluate(CLIPPED)) == (path, [])


def test_without_javascript_everything_is_there(browser, built):
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    page.goto((built / "models" / "gpt2.html").as_uri())
    assert page.get_by_text("124,439,808").first.is_visible()
    assert page.locator("math").first.is_visible()
    page.locator("details.step summary").nth(2).click()
    assert page.locator("details.step .equation").nth(2).is_visible()
    assert not page.locator(".tools, .openers").first.is_visible()
    assert page.locator(".calculator input").first.is_disabled()
    results = page.locator(".calculator output").all_inner_texts()
    assert "124,439,808" in results
    assert "" not in results
    assert page.locator("body").bounding_box()["width"] <= PHONE["width"]
    context.close()


def test_colours_follow_the_choice(page, built):
    page.goto((built / "index.html").as_uri())
    scheme = page.locator("body").get_attribute
    assert scheme("data-md-color-scheme") == "default"
    page.locator("label.md-header__button[for^=__palette]:visible").click()  # automatic → light
    page.emulate_media(color_scheme="dark")
    assert scheme("data-md-color-scheme") == "default"
    page.locator("label.md-header__button[for^=__palette]:visible").click()
    assert scheme("data-md-color-scheme") == "slate"


def test_the_switch_of_languages_stays_on_the_page(page, built):
    page.goto((built / "components" / "linear.html").as_uri() + "#parameters")
    for language, there in ((OTHER, f"{OTHER}/components"), ("en", "components")):
        page.locator(".md-select button").hover()
        page.locator(f".md-select__link[hreflang={language}]").click()
        page.wait_for_url((built / there / "linear.html").as_uri() + "#parameters")
        assert page.locator("html").get_attribute("lang") == language


def test_print_shows_what_is_folded(page, built):
    page.goto((built / "models" / "gpt2.html").as_uri())
    page.emulate_media(media="print")
    assert page.locator("details.step:not([open]) math").first.is_visible()
    assert not page.locator(".tools").first.is_visible()


def test_a_family_shows_its_names_where_it_is_reached_by_the_keyboard(browser, built):
    context = browser.new_context(java_script_enabled=False, viewport=DESK)
    page = context.new_page()
    page.goto((built / "models" / "compare.html").as_uri())
    family = page.locator("a.group[href$='#llama']").first
    called = family.locator(".called").first
    assert not called.is_visible()
    page.locator("a.group[href$='#gptj']").first.focus()
    for _ in range(100):
        page.keyboard.press("Tab")
        if called.is_visible():
            break
    assert called.is_visible()
    assert family.get_attribute("aria-label").startswith("llama (")
    context.close()
