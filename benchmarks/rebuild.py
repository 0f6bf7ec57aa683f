"""How long a served site takes to be built again after a component or a template was touched.

``python benchmarks/rebuild.py COMPONENT TEMPLATE`` builds the site as ``symledger site serve``
does, adds a comment to the component, builds again, makes a change that counts, builds a third
time, adds a line to the template, builds, builds once more, and prints the seconds of the processor
of each. Run it in a copy of the checkout: it changes files (``benchmarks/site.py`` makes such a
copy).
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path
from time import process_time

try:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
except ImportError as error:
    sys.exit(f"{error}: pip install 'symledger[docs]'.")

from symledger.site import resources


def main(component: Path, template: Path) -> None:
    """Build after each change, and print the seconds of each."""
    logging.disable()
    with tempfile.TemporaryDirectory() as out:

        def seconds(first: bool = False) -> float:
            before = process_time()
            config = load_config(str(resources.configuration()), site_dir=out)
            if first:
                config.plugins.on_startup(command="serve", dirty=True)
            build(config, serve_url="http://127.0.0.1/", dirty=True)
            return process_time() - before

        found = [seconds(first=True)]
        for file, change in (
            (component, "# a comment\n"), (component, '"""A text that is compiled."""\n'),
            (template, "\nAnother line.\n"),
        ):  # fmt: skip
            with file.open("a", encoding="utf-8") as opened:
                opened.write(change)
            found.append(seconds())
        found.append(seconds())
    print(*found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
