"""How pages behave: pointing, walking, tapping, copying, searching, calculating, addresses."""

from random import Random

import pytest

from symledger import algebra, derive
from symledger.tags.registry import registered
from tests.every import INTEGRATING

LIT = "[...document.querySelectorAll('.lit')].map(e => e.dataset.sym)"
POINTS = 300


@pytest.fixture
def gpt2(page, built):
    page.goto((built / "models" / "gpt2.html").as_uri())
    return page


def test_pointing_at_a_symbol_lights_its_row_and_every_other_place(gpt2):
    gpt2.locator("details.step math [data-sym=L]:visible").first.hover()
    places = gpt2.locator("[data-sym=L]").count()
    assert gpt2.evaluate(LIT) == ["L"] * places
    assert gpt2.locator("tr.lit[data-sym=L]").count() == 1
    assert "number of layers" in gpt2.locator(".legend").inner_text()
    gpt2.locator("h1").hover()
    assert gpt2.evaluate(LIT) == []


def test_arrow_keys_walk_through_the_symbols_of_a_formula(gpt2):
    box = gpt2.locator(".formula:visible").first
    box.focus()
    symbols = box.locator("[data-sym]").evaluate_all("all => all.map(e => e.dataset.sym)")
    for symbol in symbols[:3]:
        gpt2.keyboard.press("ArrowRight")
        assert set(gpt2.evaluate(LIT)) == {symbol}
    gpt2.keyboard.press("ArrowLeft")
    assert set(gpt2.evaluate(LIT)) == {symbols[1]}
    gpt2.keyboard.press("Escape")
    assert gpt2.evaluate(LIT) == []


def test_a_tap_keeps_the_light_on_until_the_next(browser, built):
    context = browser.new_context(has_touch=True, viewport={"width": 360, "height": 740})
    phone = context.new_page()
    phone.goto((built / "models" / "gpt2.html").as_uri())
    row = phone.locator("tr[data-sym=T]").last.locator("td").first
    row.tap()
    assert set(phone.evaluate(LIT)) == {"T"}
    row.tap()
    assert phone.evaluate(LIT) == []
    context.close()


def test_buttons_copy_the_formula(page, served):
    page.goto(f"{served}/models/gpt2.html")
    formula = derive("gpt2").params
    copied = {}
    for name in ("TeX", "SymPy", "Python", "link"):
        page.get_by_role("button", name=name, exact=True).first.click()
        copied[name] = page.evaluate("navigator.clipboard.readText()")
    assert copied["TeX"] == formula.latex
    assert copied["SymPy"] == "12*L*d**2 + 13*L*d + T_max*d + V*d + 2*d"
    namespace = {}
    exec(copied["Python"], namespace)  # noqa: S102  # what a reader would do with it
    assert namespace["gpt2_params"]() == formula.value
    assert page.goto(copied["link"]).ok


def test_a_copied_selection_holds_tex(page, served):
    page.goto(f"{served}/models/gpt2.html")
    page.evaluate(
        """() => {
        const row = document.querySelector("tr.total td math").closest("tr");
        getSelection().selectAllChildren(row);
        document.execCommand("copy");
    }"""
    )
    copied = page.evaluate("navigator.clipboard.readText()")
    assert f"${derive('gpt2').params.latex}$" in copied
    assert "124,439,808" in copied


@pytest.mark.parametrize(
    "path",
    ["models/gpt2", "components/attention", "f/BCYF", "learn/mini_gpt", "learn/sources", "axioms"],
)
def test_everything_folded_opens_and_closes_at_once(page, built, path):
    page.goto((built / f"{path}.html").as_uri())
    shut = page.locator("article details:not([open])")
    page.get_by_role("button", name="Open all").click()
    assert shut.count() == 0
    page.get_by_role("button", name="Close all").click()
    assert shut.count() == page.locator("article details").count() > 1


def test_a_calculator_agrees_with_the_formulas_at_random_sizes(page, built):
    page.goto((built / "models" / "gpt2.html").as_uri())
    account = derive("gpt2")
    names = page.locator(".calculator output").evaluate_all("all => all.map(o => o.dataset.name)")
    boxes = page.locator(".calculator input").evaluate_all("all => all.map(i => i.name)")
    random = Random(4)  # noqa: S311  # sizes, no secrets
    points = [{name: random.randint(1, 10**6) for name in boxes} for _ in range(POINTS)]
    for point in points:
        point["d"] = point["h"] * random.randint(1, 4096)  # heads of equal width
        point["L"] += 3  # what a peak is derived for
    shown = page.evaluate(
        """points => points.map(point => {
        const form = document.querySelector(".calculator");
        for (const [name, size] of Object.entries(point)) form.elements[name].value = size;
        form.dispatchEvent(new Event("input"));
        return [...form.querySelectorAll("output")].map(o => o.value.replaceAll(",", ""));
    })""",
        points,
    )
    for point, values in zip(points, shown, strict=True):
        found = [exact(account[name], point) for name in names]
        assert [int(value) for value in values] == found


def exact(formula, point):
    """Return the value of a formula at sizes given by name, in Python's whole numbers."""
    each = [m.corollary_terms for m in getattr(formula, "remaining", (formula,))]
    at = {s: point[s.name] for terms in each for monomial in terms for s, _ in monomial}
    return max(algebra.value(terms, at) for terms in each)


def test_a_calculator_says_how_deep_a_model_has_to_be_for_a_peak(gpt2):
    gpt2.locator(".calculator input[name=L]").fill("3")
    peak = gpt2.locator(".calculator output[data-name='memory.peak.train']")
    assert peak.inner_text() == "–"
    assert "L ≥ 4" in gpt2.locator(".calculator [role=alert]").inner_text()
    gpt2.locator(".calculator input[name=L]").fill("4")
    value = derive("gpt2", {"L": 4, "B": 1})["memory.peak.train"].value
    assert peak.inner_text().replace(",", "") == str(value)


def test_a_calculator_refuses_what_does_not_divide_and_is_no_size(gpt2):
    form = gpt2.locator(".calculator")
    refusal = form.locator("[role=alert]")
    form.locator("input[name=h]").fill("7")
    assert refusal.inner_text() == "d_h = d/h is not a whole number at these sizes."
    assert form.locator("output").first.inner_text() == "–"
    form.locator("input[name=h]").fill("0")
    assert refusal.inner_text() == "Put in a whole number: h ≥ 1."
    form.locator("input[name=h]").fill("")
    assert form.locator("output").first.inner_text() == "124,439,808"


def test_numbers_are_kept_in_the_address(gpt2, built):
    gpt2.locator(".calculator input[name=L]").fill("24")
    shown = gpt2.locator(".calculator output").first.inner_text()
    address = gpt2.evaluate("location.href")
    assert "#calculator?" in address
    gpt2.goto("about:blank")
    gpt2.goto(address)
    assert gpt2.locator(".calculator input[name=L]").input_value() == "24"
    assert gpt2.locator(".calculator output").first.inner_text() == shown


WORDS = {
    "kv cache": "questions/llama-7b-kv-cache-2048",
    "how many parameters gpt-2": "questions/gpt-2-parameters",
    "gpt-2": "models/gpt2",
    "gpt2": "models/gpt2",
    "multi-head attention": "components/attention",
    "layernorm": "components/layer_norm",
    "linear": "components/linear.html",
    "how many parameters does linear have": "components/linear.html",
    "conv2d": "components/conv2d.html",
    "flops per token llama": "questions/llama-7b-flops-per-token",
    "how much memory does llama 7b need": "questions/llama-7b-memory",
    "llama 70b memory": "questions/llama-2-70b-memory",
    "feed forward": "components/feed_forward",
    "vocabulary size": "notation.html#sym-V",
    "d_ff": "notation.html#sym-d-ff",
    registered()["linear.params"].tag: registered()["linear.params"].page,
    "linear.params": registered()["linear.params"].page,
}


@pytest.mark.skipif(not INTEGRATING, reason="what comes first depends on all pages: CI=true")
def test_search_finds_by_the_words_that_people_use(page, built):
    page.goto((built / "index.html").as_uri())
    for words, found in WORDS.items():
        assert any(found in address for address in results(page, words)), words


def test_the_search_tells_words_of_digits_apart(page, built):
    (worker,) = built.glob("assets/javascripts/workers/search.*.js")
    assert worker.read_text(encoding="utf-8").count(".id+','}return") == 1
    page.goto((built / "index.html").as_uri())
    for digit in "0123456789":
        assert results(page, f"gpt-{digit}")


def test_search_works_from_a_server_too(page, served):
    page.goto(f"{served}/index.html")
    assert results(page, "feed-forward")


def results(page, words):
    """Type words into the search, and return the addresses under the first three pages found."""
    if not page.locator("[data-md-component=search-query]").is_visible():
        page.keyboard.press("f")
    query = page.locator("[data-md-component=search-query]")
    query.fill("")
    page.locator(".md-search-result__link").first.wait_for(state="detached")
    query.fill(words[:-1])
    page.keyboard.type(words[-1])
    page.locator(".md-search-result__link").first.wait_for()
    page.wait_for_timeout(300)
    items = page.locator(".md-search-result__item").filter(has=page.locator("a"))
    found = items.locator("a").evaluate_all(
        "all => all.map(a => a.href.replace(/[?].*(?=#)|[?].*/, ''))"
    )
    pages = list(dict.fromkeys(address.partition("#")[0] for address in found))[:3]
    return [address for address in found if address.partition("#")[0] in pages]


def test_a_permanent_address_leads_to_the_place(page, built):
    page.goto((built / "models" / "gpt2.html").as_uri() + "#evidence")
    assert page.locator("#evidence").bounding_box()["y"] < 300
