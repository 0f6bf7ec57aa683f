"""Under continuous integration nothing may be left out: a skipped test fails.

Only what compares with PyTorch, which is no dependency, may be skipped where it is not installed.
"""

import os

import pytest


def refuse(report):
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        _, _, reason = report.longrepr
        if reason == "Skipped: needs PyTorch":
            return report
        report.outcome = "failed"
        report.longrepr = f"CI=true, and nothing may be skipped there. {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return refuse((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return refuse((yield))
