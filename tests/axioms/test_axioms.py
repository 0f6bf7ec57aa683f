"""Every operation has an axiom, and each axiom shows the operations that it is about."""

from typing import get_args

import pytest
from sympy import Expr

from symledger import derive
from symledger.axioms.axiom import Axiom
from symledger.catalogue.entries import AXIOMS
from symledger.ir import tensor
from symledger.ir.tensor import Program
from symledger.sizes import B, K, L, S, T, T_o, V, d, d_in, d_k, d_out


def operations(program: Program) -> set[type]:
    return {type(t.op) for body in program.bodies for t in body.tensors}


@pytest.mark.parametrize("name", [entry.name for entry in AXIOMS])
def test_an_axiom_shows_its_operations(name: str) -> None:
    account = derive(name)
    assert isinstance(account.target.component, Axiom)
    shown = operations(account.program) | {type(t.op) for t in account.readings.back.tensors}
    assert set(account.target.component.ops) <= shown


def test_every_operation_has_an_axiom() -> None:
    assert {op for entry in AXIOMS for op in entry.load().ops} == set(get_args(tensor.Op))


FREE = ("leaf", "rearrange", "slice", "pad", "join")
COUNTED: dict[tuple[str, str], Expr] = {
    ("contract", "flops.forward"): 2 * B * d_in * d_out,
    ("contract", "flops.backward"): 4 * B * d_in * d_out,
    ("contract_pairs", "flops.forward"): 2 * T**2 * d_k,
    ("map_broadcast", "flops.forward.pointwise"): B * d,
    ("map_broadcast", "flops.backward.pointwise"): 3 * B * d,
    ("sum", "flops.forward.pointwise"): B * d,
    ("repeat", "flops.backward.pointwise"): B * d,
    ("max", "flops.forward.pointwise"): B * (d - 1),
    ("windows", "flops.backward.pointwise"): K * T_o,
    ("overlap", "flops.forward.pointwise"): K * T_o,
    ("gather", "params"): V * d,
    ("gather", "flops.backward.pointwise"): T * d,
    ("scatter", "flops.forward.pointwise"): T * d,
    ("solve", "params"): T**2,
    ("solve", "flops.forward.pointwise"): d * T * (T - 1),
    ("solve", "flops.backward"): 2 * T**2 * d,
    ("call", "params"): L * d**2,
    ("call_shared", "params"): d**2,
    ("call_scan", "flops.forward"): 2 * B * T * d**2,
}


@pytest.mark.parametrize(("name", "quantity"), COUNTED)
def test_an_axiom_has_the_price_that_was_counted_by_hand(name: str, quantity: str) -> None:
    found = derive(f"axiom_{name}")[quantity].expr
    assert (found - COUNTED[name, quantity]).expand() == 0


@pytest.mark.parametrize("name", FREE)
def test_what_only_looks_at_elements_is_free_and_keeps_nothing(name: str) -> None:
    account = derive(f"axiom_{name}")
    flops = [q for q in account.quantities if q.startswith("flops") or q == "memory.saved"]
    assert not [q for q in flops if account[q].general]


def test_zeros_before_a_sequence_are_as_many_as_stated() -> None:
    assert derive("axiom_pad").program.outputs[0].shape == (S + T, d)
