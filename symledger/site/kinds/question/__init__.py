"""Question pages: the questions that people type, each answered, and their index by topic."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.question.answers import Answer, answer
from symledger.site.pages import Page
from symledger.site.text.questions import questions
from symledger.site.tongues import speaks

INDEX = "questions/index.md"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then a page for every question."""
    answers = [answer(atlas, question) for question in questions()]
    topics: dict[str, list[Answer]] = {}
    for found in answers:
        topics.setdefault(found.question.topic, []).append(found)
    if templates.tongue.has(INDEX):
        yield templates.page(INDEX, "questions.md.j2", topics=topics)
    for found in answers:
        if not templates.tongue.has(found.question.path):
            continue
        yield templates.page(
            found.question.path, "question.md.j2", a=found, q=found.question,
            same=[a.question for a in answers if equal(found, a)],
        )  # fmt: skip


def translated(atlas: Atlas, language: str) -> Iterator[str]:
    """Yield the index and all questions, where a language has words for them."""
    del atlas
    if speaks(language, "questions.md.j2"):
        yield INDEX
    if speaks(language, "question/parts.j2"):
        yield from (question.path for question in questions())


def equal(one: Answer, other: Answer) -> bool:
    """Whether two questions about parameters have the same answer."""
    return one is not other and one.unit == other.unit == "parameters" and one.exact == other.exact


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them: none."""
    del atlas
    return {}
