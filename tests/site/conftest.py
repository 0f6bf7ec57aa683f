"""One generated site, one written, one built and one browser for all tests of the site."""

import json
import shutil
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from symledger.site.memory import PLACE
from tests.conftest import EVERYTHING
from tests.every import INTEGRATING
from tests.site import some, wheel
from tests.site.whole import REMEMBERED, SITE, part, rendered

HERE = Path(__file__).parent
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-quic",
             "--disable-background-networking"]  # fmt: skip


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items):
    """Let one worker run all tests of the site, which is generated and built once for them."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("site"))


TOLD = []
"""Errors that a test has failed with."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Let what fails because the site cannot be made, or built, be one failure: the first."""
    report = yield
    if report.failed and item.path.is_relative_to(HERE):
        error = vars(SITE).get("tried", (None, None))[1] or call.excinfo.value
        if any(error is known for known in TOLD):
            report.outcome = "skipped"
            report.longrepr = str(item.path), 0, "Skipped: a test before failed for the same reason"
        TOLD.append(error)
    return report


@pytest.fixture(scope="session")
def site():
    return SITE


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Return a wheel that lies beside the source distribution that it was made from."""
    if wheel.MISSING:
        pytest.skip("needs build and hatchling: pip install build hatchling")
    return wheel.made(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory, made):
    """Return the command of that wheel, installed without its checkout."""
    return wheel.installed(made, tmp_path_factory.mktemp("installed") / "venv")


@pytest.fixture(scope="session")
def built(tmp_path_factory, request, site):
    """Return the folder of a site that the command built, that of a wheel where there is one.

    In integration it renders all that are made, and makes a tenth of those that are many of a kind
    anew, and all others; elsewhere it renders some, and may reuse all that these tests made.
    """
    assert site.made  # where these cannot be made, neither can others
    site.memory.save()
    installed = None if wheel.MISSING else request.getfixturevalue("installed")
    empty = tmp_path_factory.mktemp("built")
    folder = empty / "site"
    command = [installed] if installed else [sys.executable, "-m", "symledger"]
    if INTEGRATING:
        some.forget(REMEMBERED)
    if not EVERYTHING:
        (empty / some.RENDERED).write_text(json.dumps([some.part, sorted(rendered())]))
        python = Path(installed).with_name("python") if installed else sys.executable
        command = [str(python), "-P", some.__file__]  # beside it lies a folder called mkdocs
    made = (*command, "site", "build", "--out", str(folder))
    said = wheel.said(*made, folder=empty, **{PLACE: str(REMEMBERED.parent)})
    assert said == f"{folder}\n"
    return folder


@pytest.fixture(scope="session")
def expected(site):
    """Return what is built: in integration the site, elsewhere with the pages that are rendered."""
    return part(rendered(), site.assets)


@pytest.fixture(scope="session")
def browser():
    """Start Debian's Chromium once."""
    found = shutil.which("chromium")
    if found is None or find_spec("playwright") is None:
        pytest.skip("needs chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def served(built):
    """Serve the built site on this machine, for what file:// does not allow."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser):
    """Open an empty page; what its console says and what it asks for outside are errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    faults = []
    opened.on("console", lambda message: faults.append(message.text))
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", lambda asked: faults.append(asked.url) if outside(asked.url) else None)
    yield opened
    context.close()
    assert not faults


def outside(url):
    return not url.startswith(("file://", "http://127.0.0.1:", "data:", "about:"))
