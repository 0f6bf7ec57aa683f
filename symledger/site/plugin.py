"""The MkDocs plugin: it adds the generated pages to a build, so that ``mkdocs build`` just works.

A generated page enters as Markdown; its blocks of HTML are put in after Markdown and search.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mkdocs.config.base import Config
from mkdocs.config.config_options import Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from symledger.site import resources
from symledger.site.navigation import expanded, localized
from symledger.site.reloading import Source
from symledger.site.theme import completed

if TYPE_CHECKING:
    from symledger.site.generator import Site

EPOCH = "1780272000"
"""The date that a build states where SOURCE_DATE_EPOCH states none: builds have no clock."""
SOURCE = Source()
"""The package as it was imported; MkDocs makes a new plugin for every build while it serves."""


class SiteConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs leaves the hook untyped
    """What a configuration may say to the plugin."""

    language = Type(str, default="en")


class SymledgerPlugin(BasePlugin[SiteConfig]):  # type: ignore[no-untyped-call]  # the same
    """Pages of formulas for MkDocs."""

    site: Site

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Make the site anew, expand the navigation, and give the build a date of its own.

        While serving, a changed component, text or reading is imported anew before that.
        """
        os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
        self.site = SOURCE.site(self.config.language)
        localized(config.theme, self.site)
        config.site_description = self.site.say(config.site_description or "")
        if config.nav is not None:
            config.nav = expanded(config.nav, self.site)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add every generated page and file."""
        for path, page in self.site.pages.items():
            files.append(File.generated(config, path, content=page.source))
        for path, content in self.site.assets.items():
            files.append(File.generated(config, path, content=content))
        return files

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Put the blocks in, now that Markdown, the theme and the search have seen the page."""
        del config
        made = self.site.pages.get(page.file.src_uri)
        filled = made.filled(output) if made else output
        return completed(filled, self.site.say("Search"))

    def on_post_template(
        self, output_content: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Give the theme's own pages, such as that for what is not found, their policy too."""
        del config
        if not template_name.endswith(".html"):
            return output_content
        return completed(output_content, self.site.say("Search"))

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Watch the templates and the package too."""
        del config, builder
        for folder in (resources.templates(), resources.CHECKOUT / "symledger"):
            server.watch(str(folder))
        return server
