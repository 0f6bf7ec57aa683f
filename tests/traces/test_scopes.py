"""The parts of a traced program: modules that run without a break, under their own names."""

import pytest

from symledger.ir.tensor import Scope
from symledger.traces.scopes import Scopes

TABLE = [
    # the modules of operations in order; the parts that these are
    (["a.b", "a.c"], ["a/b", "a/c"]),
    (["a.b", "", "a.c"], ["a.b", "", "a.c"]),
    (["a.b", "", "a.b"], ["a.b", "", "a.b"]),
    (["a", "a.b", "a"], ["a", "a/b", "a"]),
    (["t.w", "", "t.h.x", "t.h.y", "t.f"], ["t.w", "", "t.h/x", "t.h/y", "t.f"]),
]


@pytest.mark.parametrize(("paths", "parts"), TABLE, ids=str)
def test_a_container_that_is_only_reached_into_is_no_part(paths, parts):
    scopes = Scopes(Scope("net"), paths)
    assert ["/".join(scopes.at(i, p).path) for i, p in enumerate(paths)] == parts


def test_a_module_that_runs_twice_is_a_part_each_time():
    scopes = Scopes(Scope("net"), ["a", "", "a", "a"])
    first, _, second, third = (scopes.at(i, p) for i, p in enumerate(["a", "", "a", "a"]))
    assert first is not second
    assert second is third
