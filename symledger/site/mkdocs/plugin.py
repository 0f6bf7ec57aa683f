"""The MkDocs plugin: it adds the generated pages to a build, so that ``mkdocs build`` just works.

A generated page enters as Markdown; its blocks of HTML are put in after Markdown and search.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import clean_directory
from mkdocs.utils.templates import TemplateContext
from pathspec.gitignore import GitIgnoreSpec

from symledger.languages.language import ENGLISH
from symledger.site import resources
from symledger.site.checkout import prefer
from symledger.site.mkdocs.finding import find_by
from symledger.site.mkdocs.navigation import expanded, localized
from symledger.site.mkdocs.reloading import Source
from symledger.site.mkdocs.searching import WORKER, mended
from symledger.site.mkdocs.theme import completed
from symledger.site.mkdocs.tongues import Tongues
from symledger.site.mkdocs.workers import Hands

if TYPE_CHECKING:
    from symledger.site.generator import Site

LOG = get_plugin_logger("symledger")
EPOCH = "1780272000"
"""The date that a build states where SOURCE_DATE_EPOCH states none: builds have no clock."""
HEADING = re.compile(r"^# .*$", re.MULTILINE)
SOURCE = Source(__name__)
"""The package as it was imported; MkDocs makes a new plugin for every build while it serves."""


class Generated(File):
    """A generated page or file; ``same`` as in the build before, it may be left alone."""

    same = False

    def is_modified(self) -> bool:
        """Whether it has to be written, where MkDocs asks."""
        return not (self.same and os.path.isfile(self.abs_dest_path))


class SiteConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs leaves the hook untyped
    """What a configuration may say to the plugin: nothing."""


class SymledgerPlugin(BasePlugin[SiteConfig]):  # type: ignore[no-untyped-call]  # the same
    """Pages of formulas for MkDocs."""

    site: Site
    tongues: Tongues
    hands: Hands | None = None
    serving = False

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Note whether the site is served, and whether what did not change may be left alone.

        A configuration that stands in a checkout is about the package beside it.
        """
        if self.config.config_file_path:
            prefer(Path(self.config.config_file_path).resolve().parent)
        self.serving = command == "serve"
        SOURCE.dirty = dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Make the site anew, expand the navigation, and give the build a date of its own.

        While serving, a changed component, text or reading is imported anew before that.
        """
        os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
        self.site = SOURCE.site()
        localized(config.theme, ENGLISH)
        if config.nav is not None:
            config.nav = expanded(config.nav, self.site)
        if config.not_in_nav is not None:
            folders = [f"/{name}/" for name in self.site.tongues if name != ENGLISH]
            config.not_in_nav += GitIgnoreSpec.from_lines(folders)
        if SOURCE.dirty and not SOURCE.frames(self._layout(config)):
            clean_directory(config.site_dir)
        return config

    def _layout(self, config: MkDocsConfig) -> str:
        """What other pages say of a page: the configuration, and the titles."""
        titles = {path: HEADING.search(page.source) for path, page in self.site.pages.items()}
        said = {path: found[0] for path, found in titles.items() if found}
        return f"{resources.configuration().read_text(encoding='utf-8')}{config.nav}{said}"

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add every generated page and file, and mend the search."""
        for path, made in self.site.made.items():
            source = made if isinstance(made, bytes) else made[0]
            file = Generated.generated(config, path, content=source)
            file.same = SOURCE.before.get(path) == made  # type: ignore[attr-defined]  # it is one of ours
            files.append(file)
        for file in [file for file in files if WORKER.fullmatch(file.src_uri)]:
            files.remove(file)
            script = mended(file.content_string)
            files.append(File.generated(config, file.src_uri, content=script))
        SOURCE.keep(self.site)
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Give titles to pages that will not be read again; from here on, several processes build.

        A site that is served is built by the one that keeps what it built.
        """
        for page in nav.pages:
            if SOURCE.dirty and not page.file.is_modified():
                page.title = SOURCE.titles.get(page.file.src_uri)
        said = config.site_description or ""
        self.tongues = Tongues(config, files, self.site.tongues, nav, said)
        self.hands = Hands.of(config, files)
        if not self.serving:
            self.hands.part([*nav.pages, *self.tongues.shown])
        return nav

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Note the titles of pages that were read."""
        del config
        pages = (file.page for file in files.documentation_pages())
        SOURCE.titles |= {p.file.src_uri: str(p.title) for p in pages if p and p.markdown}
        if self.hands:
            self.hands.read()
        return env

    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        """Let the search, which has just seen the page, know what stands in its blocks.

        Have the theme speak the language of the page.
        """
        del config, nav
        made = self.site.pages.get(page.file.src_uri)
        if made and self.hands and self.hands.entries:
            find_by(reversed(self.hands.entries), made)
        self.tongues.speak(context, page)
        return context

    def on_template_context(
        self, context: TemplateContext, *, template_name: str, config: MkDocsConfig
    ) -> TemplateContext:
        """Tell the theme's own pages, such as the site map, of pages that others render too."""
        del template_name, config
        if self.hands:
            context["pages"] = list(self.hands.pages.values())
        return context

    @event_priority(100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Put together what several processes know, before the search is written; keep the rest."""
        if self.hands:
            self.hands.end()
            self.hands.join()
        search = config.plugins.get("material/search")
        if index := getattr(search, "search_index", None):
            self.tongues.parted(index, SOURCE.entries if SOURCE.dirty else {})
        SOURCE.before = dict(self.site.made)

    def on_build_error(self, *, error: Exception) -> None:
        """End with the others where a page cannot be rendered."""
        del error
        if self.hands:
            self.hands.end(1)
            self.hands.stop()

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put the blocks in, now that Markdown, the theme and the search have seen the page."""
        del config
        made = self.site.pages.get(page.file.src_uri)
        filled = made.filled(output) if made else output
        language = self.tongues.of(page.file.src_uri).language
        return completed(self.tongues.finished(filled, page), language)

    def on_post_template(
        self, output_content: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Give the theme's own pages, such as that for what is not found, their policy too."""
        del config
        if not template_name.endswith(".html"):
            return output_content
        return completed(output_content)

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Watch the templates and the package too; say how to be served faster."""
        del config, builder
        if not SOURCE.dirty:
            LOG.info("every change renders all pages; `mkdocs serve --dirty` only what it concerns")
        for folder in (resources.templates(), resources.CHECKOUT / "symledger"):
            server.watch(str(folder))
        return server
