"""Families by year: which year a family is of, and what is said of several configurations."""

from fractions import Fraction

import pytest

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import BY_NAME
from symledger.configs.read import entry_of
from symledger.site.kinds.years import Described, described, year, years

LLAMA = "Touvron et al., LLaMA: Open and Efficient Foundation Language Models (2023), section 2.2"
NUMBERS = [
    {"all": Fraction(200), "active": Fraction(50), "cache": Fraction(4096)},
    {"all": Fraction(1000), "active": Fraction(125), "cache": None},
]
"""A quarter and an eighth, which is 12 % to the whole one."""


@pytest.mark.parametrize(
    ("references", "found"),
    [((LLAMA,), "2023"), (("transformers 5.23, LlamaModel", LLAMA), "2023"),
     (("transformers 5.23, LlamaModel",), ""), ((), "")],
)  # fmt: skip
def test_a_family_is_of_the_year_of_the_first_work_that_has_one(references, found):
    assert year(described(references)) == found


def test_of_several_configurations_the_least_and_the_most_are_shown():
    assert Described("some", LLAMA, NUMBERS).shown == ["2", "200–1,000", "12 %–25 %", "4,096"]
    assert Described("one", LLAMA, [{"all": None, "active": None, "cache": None}]).shown == [
        "1", "", "", "",
    ]  # fmt: skip


def test_the_last_year_comes_first_and_what_has_none_comes_last():
    those = [Described(name, said, []) for name, said in
             (("a", LLAMA), ("b", "code alone"), ("c", "Others (2025)"))]  # fmt: skip
    assert list(years(those)) == ["2025", "2023", ""]


def test_every_family_with_published_configurations_names_a_work_or_code():
    """One without a year would stand among those that code alone describes."""
    for entry in {entry_of(known) for known in checkpoints().values()}:
        said = described(BY_NAME[entry].load().references)
        assert year(said) or said.startswith("transformers "), entry
