"""What is served: watched, and built again where it changed and nowhere else."""

import logging

import pytest
from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig

from symledger.site import resources
from symledger.site.mkdocs import plugin
from symledger.site.mkdocs.reloading import Source
from symledger.site.pages import Page
from symledger.site.tongues import Tongue


class Small:
    """A site of three pages and a file."""


    def __init__(self, **changed):
        texts = {"index": "# Home\n[a](a.md)", "a": "# A\n<p>1</p>", "b": "# B\nwords"} | changed
        self.pages = {
            f"{name}.md": Page(f"{name}.md", f'{text}\n\n<div data-block="0"></div>\n', (name,))
            for name, text in texts.items()
        }
        self.assets = {"data.csv": b"1"}
        self.made = {**{p: (q.source, q.blocks) for p, q in self.pages.items()}, **self.assets}
        self.memory, self.kept, self.tongues = self, {}, {"en": Tongue()}

    def save(self):
        """Remember nothing."""


def test_only_what_changed_is_written_again(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    out = tmp_path / "site"
    source = Source(__name__)
    monkeypatch.setattr(plugin, "SOURCE", source)

    def run(**changed):
        """Build, and return the pages that were written."""
        monkeypatch.setattr(source, "site", lambda: Small(**changed))
        config = MkDocsConfig(str(tmp_path / "mkdocs.yml"))
        config.load_dict({
            "site_name": "x", "docs_dir": str(tmp_path / "docs"), "site_dir": str(out),
            "plugins": ["symledger"], "theme": "mkdocs", "use_directory_urls": False,
        })  # fmt: skip
        assert config.validate() == ([], [])
        config.plugins.on_startup(command="serve", dirty=True)
        for file in out.rglob("*.*"):
            file.touch()
        before = {file: file.stat().st_mtime_ns for file in out.rglob("*.html")}
        build(config, dirty=True)
        now = {file: file.stat().st_mtime_ns for file in out.glob("?*.html")}
        return {f.stem for f, time in now.items() if time != before.get(f)} - {"404"}

    assert run() == {"index", "a", "b"}
    assert run() == set()
    assert run(a="# A\nother") == {"a"}
    assert "other" in (out / "a.html").read_text()
    assert ">B<" in (out / "a.html").read_text()  # the navigation names what was not read again
    assert run(a="# Another\nother") == {"index", "a", "b"}  # all pages name it
    (out / "b.html").unlink()
    assert run(a="# Another\nother") == {"b"}


@pytest.mark.parametrize("dirty", [True, False])
def test_templates_and_the_package_are_watched(dirty, monkeypatch, caplog):
    watched = []

    class Server:
        watch = staticmethod(watched.append)

    monkeypatch.setattr(plugin.SOURCE, "dirty", dirty)
    caplog.set_level(logging.INFO, "mkdocs")
    server = Server()
    assert plugin.SymledgerPlugin().on_serve(server, config=None, builder=None) is server
    assert watched == [str(resources.templates()), str(resources.CHECKOUT / "symledger")]
    assert ("mkdocs serve --dirty" in caplog.text) is not dirty
