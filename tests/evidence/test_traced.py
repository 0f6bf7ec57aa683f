"""What is recorded of definitions against their references, traced."""

from symledger.evidence.traced import every_traced
from symledger.languages.message import say


def test_what_depends_on_the_way_of_writing_is_said_as_it_is_recorded() -> None:
    vectors = [v for those in every_traced().values() for v in those]
    said = {text: "; ".join(rows) for v in vectors
            for text, rows in zip(v.written.values(), v.spelled.values(), strict=True)}  # fmt: skip
    assert len(said) > 100
    assert [text for text, rows in said.items() if text != rows] == []
    assert [text for text in said if "there:" in say("es", text)] == []
