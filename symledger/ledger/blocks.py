"""States in blocks: how many bytes those of a weight are, which only its size decides.

A weight of few elements has states in fp32, one of many in 8 bits, and of its last block there may
be less than a whole one: so what a weight has is no polynomial in its size. It is a number, of
weights whose sizes have values; how often a block is repeated may still be a symbol.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from sympy import Expr, Integer, Symbol

from symledger import algebra
from symledger.algebra import Terms, substitute
from symledger.algebra.assumptions import Assumed
from symledger.errors import BadInput
from symledger.ir.tensor import Program, Tensor
from symledger.ledger.optimizers import BLOCK, LEAST, MAPS
from symledger.readings.params import is_trained, trained_states
from symledger.readings.tally import Amount, Tally


def in_blocks(elements: int) -> int:
    """Return the bytes of both moments of a weight: in fp32, or in 8 bits with their scales.

    >>> in_blocks(4095), in_blocks(4096), in_blocks(4097)
    (32760, 8320, 8330)
    """
    if elements < LEAST:
        return 2 * 4 * elements
    return 2 * (elements + 4 * -(-elements // BLOCK))


def states(
    program: Program, frozen: tuple[str, ...], assumed: Assumed | None, optimizer: str
) -> Tally:  # fmt: skip
    """Return the states of every trained weight, and the tables that they share.

    Raises:
        BadInput: the size of a weight has no value.
    """
    many: list[bool] = []

    def each(body: Program, weight: Tensor) -> Expr:
        elements = _elements(body, weight, assumed, optimizer)
        many.append(elements >= LEAST)
        return Integer(in_blocks(elements))

    found = trained_states(program, frozen, each)
    if not any(many):
        return found
    maps = Amount(program.scope, Integer(MAPS), "maps")
    return Tally(found.scope, (*found.items, maps), found.times)


def _elements(body: Program, weight: Tensor, assumed: Assumed | None, optimizer: str) -> int:
    size = algebra.terms(weight.size)
    if assumed:
        size = substitute(size, assumed.equations)
    found = algebra.value(size, assumed.bindings if assumed else {})
    if found is None:
        raise BadInput(
            f"{optimizer} keeps states in fp32 of a weight of less than {LEAST:,} elements, and in "
            f"blocks of {BLOCK} of others: which of these {body.path(weight)} is, with "
            f"{algebra.text(size)} elements, is not known without sizes. Give them values."
        )
    return int(found)


def check_free(
    program: Program, frozen: tuple[str, ...], given: Mapping[Symbol, Terms],
    free: Container[Symbol], optimizer: str,
) -> None:  # fmt: skip
    """Refuse free sizes that the elements of a trained weight depend on.

    Raises:
        BadInput: one does.
    """
    for path, size in _sizes(program, frozen):
        moving = [s for monomial in substitute(size, given) for s, _ in monomial if s in free]
        if moving:
            raise BadInput(
                f"what {optimizer} keeps of {path} is no polynomial in {moving[0]}: it is known at "
                "given sizes only. Sizes that no weight depends on (B, T, L) may be free, or name "
                "another optimizer."
            )


def _sizes(program: Program, frozen: tuple[str, ...]) -> Iterator[tuple[str, Terms]]:
    for body in program.bodies:
        for weight in body.params:
            if is_trained(body, weight, frozen):
                yield body.path(weight), algebra.terms(weight.size)
