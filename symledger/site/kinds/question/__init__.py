"""Question pages: the questions that people type, each answered, and their index by topic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from symledger.site.atlas import Atlas
from symledger.site.html.templating import Templates
from symledger.site.kinds.question.answers import Answer, answer
from symledger.site.pages import Page
from symledger.site.text.questions import Question, questions
from symledger.site.tongues import speaks

INDEX = "questions/index.md"


def pages(atlas: Atlas, templates: Templates) -> Iterator[Page]:
    """Yield the index, then a page for every question."""
    answers = answers_of(atlas)
    topics: dict[str, list[Answer]] = {}
    counted: dict[Fraction, list[Question]] = {}
    for found in answers:
        topics.setdefault(found.question.topic, []).append(found)
        if found.unit == "parameters":
            counted.setdefault(found.exact, []).append(found.question)
    if templates.tongue.has(INDEX):
        yield templates.page(INDEX, "questions.md.j2", topics=topics)
    for found in answers:
        question = found.question
        if not templates.tongue.has(question.path):
            continue
        alike = counted[found.exact] if found.unit == "parameters" else ()
        yield templates.page(
            question.path, "question.md.j2", a=found, q=question,
            same=[other for other in alike if other is not question],
        )  # fmt: skip


def translated(atlas: Atlas, language: str) -> Iterator[str]:
    """Yield the index and all questions, where a language has words for them."""
    del atlas
    if speaks(language, "questions.md.j2"):
        yield INDEX
    if speaks(language, "question/parts.j2"):
        yield from (question.path for question in questions())


def answers_of(atlas: Atlas) -> list[Answer]:
    """Return the answers to all questions, made once for the pages of every language."""
    return atlas.once("answers", lambda: [answer(atlas, question) for question in questions()])


def assets(atlas: Atlas) -> dict[str, bytes]:
    """Return the files beside them: none."""
    del atlas
    return {}
