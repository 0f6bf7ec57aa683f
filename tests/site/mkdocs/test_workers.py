"""A site that several processes render is the one that a single process renders."""

import pytest

from tests.site.apart import answers

SCRIPT = """
import json, logging, os, sys
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config
from symledger.site import workers as shares
from symledger.site.mkdocs import plugin
from symledger.site.mkdocs import workers as hands
from symledger.site.generator import Site
from symledger.site.pages import Page
from symledger.site.tongues import Tongue

folder, how, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
(folder / "docs").mkdir(parents=True)
(folder / "docs" / "hand.md").write_text("# By hand\\n\\n[two](p2.md#here)\\n")
(folder / "mkdocs.yml").write_text(f'''
site_name: few
site_url: https://example.org/few/
theme: {{name: material, font: false, features: [navigation.footer]}}
nav: [index.md, p1.md, p2.md, hand.md]
not_in_nav: /p*.md
markdown_extensions: [attr_list]
validation: {{links: {{anchors: warn}}}}
plugins: [{'' if how == 'plain' else 'search, '}symledger]
''')

class Made(Page):
    def filled(self, output):
        if how == "wrong" and self.path == "p5.md":
            raise ValueError("no such block")
        if how == "killed" and self.path == "p5.md":
            os._exit(3)
        return super().filled(output)

def page(n):
    anchor = "nowhere" if how == "astray" and n in (2, 3) else "here"
    parts = f"# Page `{n}`", f"[next](p{(n + 1) % 8}.md#{anchor})", "## Here {#here}", f"word{n}"
    text = "\\n\\n".join((*parts, '<div data-block="0"></div>', ""))
    return Made(f"p{n}.md", text, (f"<p>block {n}</p>",))

site = Site()
pages = [Made("index.md", "# Home\\n", ()), *(page(n) for n in range(8))]
tongues = {name: Tongue(name) for name in ("en", "es")}
vars(site).update(pages={p.path: p for p in pages}, assets={"a.txt": b"a"}, tongues=tongues)
site.memory.keeps = False
plugin.SOURCE.site = lambda: site
plugin.SOURCE.keep = lambda _: None
shares.processes, hands.FEW = lambda: number, 2
parts = []
part = hands.Hands.part
hands.Hands.part = lambda self, nav: (part(self, nav), parts.extend(self.others))[0]
notes = hands.Notes()
notes.setLevel(logging.WARNING)
logging.getLogger("mkdocs").addHandler(notes)
try:
    build(load_config(str(folder / "mkdocs.yml"), site_dir=str(folder / "out"), strict=True))
    ended = "well"
except Exception as error:
    ended = str(error)
files = sorted(f for f in (folder / "out").rglob("*") if f.is_file())
print(json.dumps({
    "ended": ended, "forked": len(parts), "log": [r.msg for r in notes.records],
    "files": {str(f.relative_to(folder)): f.read_bytes().hex() for f in files},
}))
"""
MODULES = "mkdocs.commands.build material.plugins.search.plugin symledger.site.mkdocs.plugin"
CASES = (("well", 1), ("well", 3), ("astray", 1), ("astray", 2), ("wrong", 2), ("killed", 2),
         ("plain", 2))  # fmt: skip
"""How a build ends, and of how many processes."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hands")
    cases = {(how, n): (str(folder / f"{how}{n}"), how, str(n)) for how, n in CASES}
    found = answers(SCRIPT, MODULES, cases)
    return lambda *case: found[case]


def test_files_are_the_same_byte_by_byte(built):
    one, three = built("well", 1), built("well", 3)
    assert (one["ended"], one["forked"]) == ("well", 0)
    assert (three["ended"], three["forked"]) == ("well", 2)
    assert three["files"] == one["files"]
    index = bytes.fromhex(one["files"]["out/search/search_index.json"]).decode()
    assert all(f"word{n}" in index for n in range(8))
    assert b"example.org/few/p7/" in bytes.fromhex(one["files"]["out/sitemap.xml"])


def test_links_that_lead_nowhere_are_told_once_whoever_renders_them(built):
    one, two = built("astray", 1), built("astray", 2)
    assert len(one["log"]) == 2
    assert "nowhere" in one["log"][0]
    assert two["log"] == one["log"]
    assert two["ended"] == one["ended"] == "Aborted with 2 warnings in strict mode!"


def test_a_page_that_cannot_be_rendered_ends_the_build(built):
    said = built("wrong", 2)
    assert said["ended"] == "Aborted with a BuildError!"
    assert said["log"][0] == "Error building page 'p5.md': no such block"


def test_a_process_that_is_killed_ends_the_build(built):
    said = built("killed", 2)
    assert said["ended"] == "Aborted with a BuildError!"
    assert said["log"] == ["A process that rendered pages ended with exit code 3."]


def test_where_another_search_is_used_or_none_one_process_renders(built):
    said = built("plain", 2)
    assert (said["ended"], said["forked"]) == ("well", 0)
