"""Question pages: the questions that people type, each answered, and their index by topic."""

from __future__ import annotations

from collections.abc import Iterator

from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.question.answers import Answer, answer
from symledger.site.pages import Page
from symledger.site.text.questions import questions


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then a page for every question."""
    answers = [answer(atlas, question) for question in questions()]
    topics: dict[str, list[Answer]] = {}
    for found in answers:
        topics.setdefault(found.question.topic, []).append(found)
    yield templates.page("questions/index.md", "questions.md.j2", topics=topics)
    for found in answers:
        yield templates.page(
            found.question.path, "question.md.j2", a=found, q=found.question,
            same=[a.question for a in answers if equal(found, a)],
        )  # fmt: skip


def equal(one: Answer, other: Answer) -> bool:
    """Whether two questions about parameters have the same answer."""
    return one is not other and one.unit == other.unit == "parameters" and one.exact == other.exact


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them: none."""
    del atlas
    return {}
