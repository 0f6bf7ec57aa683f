"""What holds for all tests: under continuous integration nothing may be skipped.

There a skipped test fails; only what compares with PyTorch, which is no dependency, may be skipped
where it is not installed. And one worker runs all tests of an owner, whose accounts they share.
What fails because a text cannot be read is one failure, that of the test which reads it, and so
is what fails because nothing was recorded of something new.
"""

import gc
import os
import signal
from collections import defaultdict
from functools import cache
from itertools import count
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from symledger.catalogue.checkpoints import checkpoints
from symledger.catalogue.entries import AXIOMS, ENTRIES, find, place
from symledger.catalogue.texts import files, read
from symledger.configs.families import READERS
from symledger.configs.read import entry_of
from symledger.errors import BadInput
from symledger.evidence.records import FOLDER
from symledger.site.sources import PACKAGE

HERE = Path(__file__).parent
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's job in the background ignores it,
    signal.signal(signal.SIGINT, signal.default_int_handler)  # and so would what the tests start
gc.set_threshold(0)  # accounts are kept to the end: looking at them again and again is in vain
TIDY = 100
"""After so many tests what they left is looked at once: rubbish goes, the rest is left alone."""
DONE = count(1)
INTEGRATING = os.environ.get("CI") == "true"
"""Whether this is continuous integration: there nothing is skipped and nothing is reused."""
EVERYTHING = os.environ.get("EVERYTHING") == "true"
"""Whether nothing at all is left out: so it is each night."""
OF = 4
"""In integration broad tests look at one in so many owners,"""
TURN = sum(file.stat().st_size for file in PACKAGE.rglob("*.py")) % OF
"""and at others where the package is longer or shorter: a commit after the other, at all."""
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow],
                          max_examples=100 if INTEGRATING else 30)  # fmt: skip
settings.load_profile("untimed")  # no test fails because a machine is slow
READS = "test_no_number_is_typed_that_the_ledger_can_say"
RECORDED = "test_an_owner_is_recorded"
OF_RECORDS = ("citing", "evidence", "explain", "golden", "languages", "recording", "site", "tags")
"""The folders of tests that read what is recorded."""
FAMILIES = {name: find(entry_of(known)).family for name, known in checkpoints().items()} | {
    entry.name: entry.family for entry in (*ENTRIES, *AXIOMS)
}
"""The owners of entries and of published configurations."""
TYPES = {name: entry.family for names in READERS.values() for name, entry in names.items()}
"""Those that read a type of configuration."""
CLASSES = {
    entry.definition.rpartition(":")[2]: entry.family for entry in reversed((*ENTRIES, *AXIOMS))
}
"""Those of definitions."""
MANY = 80
"""A test of more cases is broad: outside of integration those of a sample are looked at,"""
ABOUT = 20
"""about so many, however many families there are, and beside them"""
ALWAYS = {"mini_gpt", "gpt2", "llama", "bert", "mixtral", "vgg", *{
    entry.folder: entry.name for entry in reversed((*ENTRIES, *AXIOMS)) if entry.kind != "model"
}.values()}  # fmt: skip
"""these: some models, and of every topic of components and kind of axioms the first."""


@pytest.hookimpl(trylast=True)  # once there is something that writes
def pytest_sessionstart(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not EVERYTHING:  # -q leaves out the header
        looked_at = f"part {TURN + 1} of {OF}" if INTEGRATING else "a sample"
        reporter.write_line(f"{looked_at} of what is very broad: EVERYTHING=true runs the whole")


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(config, items):
    for item in items:
        owner = owner_of(item)
        if owner and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(owner))
    if not EVERYTHING and not config.option.keyword:  # -k: all that it names
        left_out = {*(of_others(items) if INTEGRATING else broad(items))}
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def owner_of(item):
    """Return the owner that a case is about; None where it is about none."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    asked = (
        (FAMILIES, given.get("owner", given.get("name"))),
        (TYPES, given.get("model_type", getattr(given.get("family"), "model_type", None))),
        (CLASSES, getattr(given.get("cls"), "__name__", None)),
    )
    found = (table.get(said) for table, said in asked if isinstance(said, str))
    return next(filter(None, found), None)


def of_others(items):
    """Yield those cases of broad tests that are about owners whose turn it is not."""
    for cases in by_test(items):
        if len(cases) > MANY:
            yield from (item for item in cases if not has_turn(owner_of(item)))


def has_turn(owner):
    """Whether an owner is looked at in integration; what is about none always is."""
    return owner is None or owner in ALWAYS or crc32(owner.encode()) % OF == TURN


def by_test(items):
    """Return the cases of each test that has some, of which some may be left out."""
    tests = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and item.get_closest_marker("every_case") is None:
            tests[item.parent.nodeid, item.originalname].append(item)
    return tests.values()


def broad(items):
    """Yield those cases of broad tests that are not looked at outside of integration."""
    for cases in by_test(items):
        costly = cases[0].get_closest_marker("costly")
        if costly:
            yield from (item for i, item in enumerate(cases) if i % costly.args[0])
        elif len(cases) > MANY:
            for item in cases[1:]:  # the first one always stays
                about = owner_of(item) or item.callspec.id
                if not (about in ALWAYS or drawn(about, len(cases))):
                    yield item


def drawn(about, of):
    """Whether a case is in the sample, by a checksum of what it is about, if it is one of so many.

    What is drawn of more is drawn of fewer: broad tests look at the same owners, derived once.
    """
    return crc32(about.encode()) * of < ABOUT << 32


def refuse(report):
    if INTEGRATING and report.skipped and not hasattr(report, "wasxfail"):
        _, _, reason = report.longrepr
        if reason == "Skipped: needs PyTorch":
            return report
        report.outcome = "failed"
        report.longrepr = f"CI=true, and nothing may be skipped there. {reason}"
    return report


@cache
def unread():
    """Return the names of the texts that cannot be read."""
    found = set()
    for file in files("en").values():
        try:
            read(file)
        except BadInput:
            found.add(file.name)
    return found


@cache
def unrecorded():
    """Return the owners of which nothing was recorded."""
    return {owner for owner in FAMILIES.values() if not place(FOLDER, owner).is_file()}


def put_down(item, report):
    """Leave a failure over what cannot be read, or is not recorded, to the test of that."""
    if report.failed:
        tests = {getattr(other, "originalname", "") for other in item.session.items}
        for test in {*causes(item, report)} & tests - {getattr(item, "originalname", "")}:
            report.outcome = "skipped"
            report.longrepr = str(item.path), 0, f"Skipped: {test} says what is to be done"
    return report


def causes(item, report):
    """Yield the tests that say why this one fails, each of what is tested in this run."""
    if any(name in report.longreprtext for name in unread()):
        yield READS
    about_records = item.path.relative_to(HERE).parts[0] in OF_RECORDS
    cases = (c for c in item.session.items if getattr(c, "originalname", "") == RECORDED)
    told = unrecorded() & {*map(owner_of, cases)}
    if told and (about_records or any(owner in report.longreprtext for owner in told)):
        yield RECORDED


def pytest_runtest_logfinish():
    if next(DONE) % TIDY == 0:
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    return put_down(item, refuse((yield)))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return refuse((yield))
