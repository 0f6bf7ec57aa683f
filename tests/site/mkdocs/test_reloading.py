"""While serving, what changed on disk is imported anew; what did not is left alone."""

import sys

from symledger.site.memory import PLACE
from symledger.site.mkdocs import plugin, reloading
from symledger.site.mkdocs.reloading import KEPT, Source


def test_a_changed_file_is_imported_anew_and_an_unchanged_package_is_not(monkeypatch):
    monkeypatch.setenv(PLACE, "")  # nothing is remembered
    kept = dict(sys.modules)
    named = {name: dict(vars(kept[name])) for name in (*KEPT, plugin.__name__) if name in kept}
    source = Source(plugin.__name__)
    try:
        before = type(source.site())
        assert type(source.site()) is before
        changed = {**source.state, "symledger/components/maps/linear.py": 1}
        monkeypatch.setattr(reloading, "state", lambda: changed)
        again = source.site()
        assert type(again) is not before
        assert type(again).__name__ == "Site"
        assert type(source.site()) is type(again)
    finally:
        for name in [n for n in sys.modules if n.startswith("symledger")]:
            del sys.modules[name]
        sys.modules.update({n: m for n, m in kept.items() if n.startswith("symledger")})
        for name, found in named.items():  # what stays imported has its modules by name
            vars(sys.modules[name]).update(found)
