"""From a file, without a Worker, scripts are loaded in the order that a worker asks for."""

from __future__ import annotations

import time

from symledger.site import resources

PAGE = '<!doctype html><title>t</title><body><script src="iframe-worker.js"></script></body>'
WORKER = """
importScripts("first.js", "second.js").then(() => postMessage(second));
"""


def test_a_script_waits_for_those_before_it(page, tmp_path):
    worker = (resources.assets() / "iframe-worker.js").read_text(encoding="utf-8")
    files = {
        "page.html": PAGE,
        "iframe-worker.js": worker,
        "worker.js": WORKER,
        "first.js": "var first = 1;",
        "second.js": "var second = first + 1;",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def late(route):
        time.sleep(0.3)
        route.continue_()

    page.route("**/first.js", late)
    page.goto((tmp_path / "page.html").as_uri())
    said = page.evaluate(
        """base => new Promise((done) => {
          const worker = new Worker(`${base}/worker.js`);
          worker.addEventListener("message", (event) => done(event.data));
        })""",
        tmp_path.as_uri(),
    )
    assert said == 2
