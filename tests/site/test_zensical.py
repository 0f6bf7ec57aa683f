"""What Zensical leaves to be done: it knows one language, and one list of languages."""

from symledger.site.tongues import Tongue, counterparts
from symledger.site.zensical import alternates, switched

TONGUES = {"en": Tongue(), "es": Tongue("es")}
PAGES = {"index.html", "es/index.html", "learn/a.html", "es/learn/a.html", "learn/b.html",
         "es/glossary.html"}  # fmt: skip
PAGE = """<head>
      <link rel="alternate" href="../index.html" hreflang="en">
      <link rel="alternate" href="../es/index.html" hreflang="es">
</head><header>
<div class="md-header__option">
  <div class="md-select">
    <button></button>
    <div class="md-select__inner">
      <ul class="md-select__list">
          <li class="md-select__item">
            <a href="../index.html" hreflang="en" class="md-select__link">
              English
            </a>
          </li>
          <li class="md-select__item">
            <a href="../es/index.html" hreflang="es" class="md-select__link">
              Español
            </a>
          </li>
      </ul>
    </div>
  </div>
</div>
<label></label></header>"""


def switch_of(address):
    tongue = TONGUES["es" if address.startswith("es/") else "en"]
    return switched(PAGE, address, counterparts(address, tongue, TONGUES, PAGES))


def test_the_theme_is_told_every_language():
    assert alternates(TONGUES) == [
        {"name": "English", "lang": "en", "link": "index.html"},
        {"name": "Español", "lang": "es", "link": "es/index.html"},
    ]
    assert alternates({"en": Tongue()}) == []


def test_the_switch_stays_on_the_page():
    html = switch_of("es/learn/a.html")
    assert '<link rel="alternate " href="../../learn/a.html" hreflang="en">' in html
    assert '<link rel="alternate " href="a.html" hreflang="es">' in html
    assert '<a href="../../learn/a.html" hreflang="en" class="md-select__link">' in html
    assert '<a href="a.html" hreflang="es" class="md-select__link">' in html
    assert '<a href="../es/learn/a.html" hreflang="es"' in switch_of("learn/a.html")


def test_from_what_english_lacks_the_switch_leads_home():
    html = switch_of("es/glossary.html")
    assert '<a href="../index.html" hreflang="en" class="md-select__link">' in html
    assert "<link" not in html


def test_the_address_of_a_site_stands_before_alternate_links(monkeypatch):
    monkeypatch.setenv("SITE_URL", "https://example.org/x/")
    html = switch_of("learn/a.html")
    assert 'href="https://example.org/x/es/learn/a.html" hreflang="es">' in html


def test_a_page_of_one_language_has_no_switch():
    html = switch_of("learn/b.html")
    assert "hreflang" not in html
    assert "md-select" not in html
    assert "<label></label></header>" in html
