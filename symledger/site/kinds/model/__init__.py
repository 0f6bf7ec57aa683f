"""Model pages: one for every family and every configuration, and their index."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from symledger.catalogue.texts import text_of
from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.component.lessons import solved
from symledger.site.kinds.model.model import Model
from symledger.site.pages import Page
from symledger.site.tongues import has_text, speaks

INDEX = "models/index.md"
__all__ = ["Model", "assets", "models_of", "pages", "translated"]


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then the models."""
    models = models_of(atlas)
    tongue = templates.tongue
    if tongue.has(INDEX):
        yield atlas.memory.page(tongue.named("models"), lambda: index(atlas, templates))
    for model in models:
        if tongue.has(atlas.page_of(model.name)):
            yield atlas.memory.page(tongue.named(model.name), partial(page, templates, model))


def translated(atlas: Atlas, language: str) -> Iterator[str]:
    """Yield the models that have a text, where a language has words for their pages."""
    for entry in atlas.models if speaks(language, "model.md.j2") else ():
        if has_text(language, entry.name):
            yield atlas.page_of(entry.name)


def index(atlas: Atlas, templates: Templates) -> Page:
    """Return the index of all models."""
    atlas.memory.note_all()
    return templates.page(
        INDEX, "models.md.j2", atlas=atlas, models=models_of(atlas)
    )


def page(templates: Templates, model: Model) -> Page:
    """Return the page of one model."""
    model.atlas.memory.note_definition(model.entry.load())
    text = text_of(model.name, templates.language)
    voice = model.voice(text, templates.language)
    return templates.page(
        model.atlas.page_of(model.name), "model.md.j2", atlas=model.atlas, model=model, text=text,
        voice=voice, exercises=solved(voice, text.exercises),
    )  # fmt: skip


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the data of every plot as a file."""
    found: dict[str, bytes] = {}
    for model in models_of(atlas):
        found |= atlas.memory.files(model.name, partial(plots, model))
    return found


def plots(model: Model) -> dict[str, bytes]:
    """Return the data of a model's plots."""
    model.atlas.memory.note_definition(model.entry.load())
    return {figure.file: figure.csv for figure in model.figures}


def models_of(atlas: Atlas) -> list[Model]:
    """Return what every page shows, made once for the pages and the files beside them."""
    return atlas.once("models", lambda: [Model(atlas, entry) for entry in atlas.models])
