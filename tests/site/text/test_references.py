"""References: every work that a definition refers to has an address, and none is left over."""

import re

import pytest

from symledger.catalogue.entries import ENTRIES
from symledger.site.text.references import cited, works

REFERRED = sorted({r for entry in ENTRIES for r in entry.load().references})


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_definition_refers_to_something(entry):
    assert entry.load().references, f"say where {entry.definition} comes from: references = (…,)"


@pytest.mark.parametrize("reference", REFERRED)
def test_every_work_has_an_address(reference):
    for one in cited(reference):
        assert one.address, f"give {one.work} its address in symledger/site/data/references.toml"
        assert re.fullmatch(r"https://[a-z0-9.]+/\S*", one.address)
        assert not one.place or one.place.startswith((", ", " without"))
    assert "; ".join(one.work + one.place for one in cited(reference)) == reference


def test_no_address_is_left_over():
    used = {one.work for reference in REFERRED for one in cited(reference)}
    assert set(works()) - used == set(), "take them out of symledger/site/data/references.toml"


def test_numbers_of_arxiv_are_of_the_year_or_before_it():
    for work, address in works().items():
        if number := re.fullmatch(r"https://arxiv.org/abs/(\d\d)\d\d\.\d{4,5}", address):
            year = int(re.search(r"\((\d{4})\)$", work)[1])
            assert year - 3 <= 2000 + int(number[1]) <= year + 1, work


def test_the_longest_name_is_taken_and_several_works_are_apart():
    assert cited("Gemma Team, Gemma 2 (2024), section 2")[0].address.endswith("2408.00118")
    found = cited("Misra, Mish (2019), section 2; somebody, something (1900)")
    assert [(one.address[-10:], one.place) for one in found] == [
        ("1908.08681", ", section 2"), ("", ""),
    ]  # fmt: skip
