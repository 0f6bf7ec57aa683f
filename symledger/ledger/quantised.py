"""Weights in quantised types: the bytes of their elements and of the scales beside them.

Quantised are matrices that are multiplied by, as a definition has them; what rows are picked from,
and vectors, stay of the type of values. A block that a weight does not fill is no length: sizes at
which there would be one are refused, so that every formula is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from sympy import Expr, Integer, Mul, Rational

from symledger.errors import BadInput, nearest, shown
from symledger.ir.ops import Contract, Param, View
from symledger.ir.tensor import Program, Tensor
from symledger.readings.params import Price, is_trained

Blocks = Literal["elements", "contracted", "rows"]
"""What a scale is of: so many elements, whatever their axes; so many along an axis that is summed
over; all that one element of a result is a sum of."""


@dataclass(frozen=True)
class Quantised:
    """A type of weights: bits of an element, and bytes of a scale for each block.

    Scales are of blocks of ``second`` themselves where that is set: each has 4 bytes, and each
    matrix 4 for the mean that was taken off its scales.
    """

    bits: int
    blocks: Blocks
    block: int
    scale_bytes: int
    meaning: str
    source: str
    second: int = 0


BITSANDBYTES = "bitsandbytes.functional.{}, bitsandbytes 0.50.2"
MX = "Open Compute Project, OCP Microscaling Formats (MX) Specification v1.0 (2023)"
FOUR = BITSANDBYTES.format("quantize_4bit")
TYPES: Mapping[str, Quantised] = {
    "int8": Quantised(
        8, "rows", 0, 4, "8 bits, and a scale in fp32 for each row",
        BITSANDBYTES.format("int8_vectorwise_quant"),
    ),
    "nf4": Quantised(
        4, "elements", 64, 4, "4 bits, and a scale in fp32 for each 64 elements", FOUR
    ),
    "nf4-double": Quantised(
        4, "elements", 64, 1,
        "4 bits, a scale of 8 bits for each 64 elements, and one in fp32 for each 256 of these",
        f"Dettmers et al., QLoRA (2023), section 3; {FOUR}", 256,
    ),
    "mxfp4": Quantised(
        4, "contracted", 32, 1, "4 bits, and an exponent of 8 bits for each 32 elements", MX
    ),
    "mxfp6": Quantised(
        6, "contracted", 32, 1, "6 bits, and an exponent of 8 bits for each 32 elements", MX
    ),
    "mxfp8": Quantised(
        8, "contracted", 32, 1, "8 bits, and an exponent of 8 bits for each 32 elements", MX
    ),
    "mxint8": Quantised(
        8, "contracted", 32, 1,
        "8 bits (whole numbers), and an exponent of 8 bits for each 32 elements", MX,
    ),
}  # fmt: skip
ANY = ("*",)


def read(text: str) -> tuple[Quantised, tuple[str, ...]]:
    """Read a type, and the weights that are of it: ``nf4`` or ``nf4:block.attention.*,head.W``.

    Raises:
        BadInput: there is no such type, or no name behind the colon.
    """
    name, colon, names = text.partition(":")
    if name not in TYPES:
        raise BadInput(f"{shown(name)} is no type of quantised weights. {nearest(name, TYPES)}")
    patterns = tuple(filter(None, (part.strip() for part in names.split(","))))
    if colon and not patterns:
        raise BadInput(f"{shown(text)} names no weight: write one as in {name}:block.attention.*")
    return TYPES[name], patterns or ANY


def price(text: str, value_bytes: int) -> Price:
    """Return what a weight takes, in bytes, quantised or not."""
    kind, patterns = read(text)

    def each(program: Program, weight: Tensor) -> Expr:
        if not _is_quantised(program, weight, patterns):
            return weight.size * value_bytes
        return _bytes(kind, program, weight)

    return each


def weights(text: str, program: Program) -> frozenset[Tensor]:
    """Return the weights that are of the type."""
    return frozenset(weight for _, weight in _quantised(program, read(text)[1]))


UNPACKED = "nf4"
"""Whose values are known to be made for each product, and gone behind it: as bitsandbytes does it
where many rows are multiplied, forward and backward (MatMul4Bit, dequantize_4bit, 0.50.2)."""
NOT_UNPACKED = (
    "how weights in {} are multiplied by, and what that makes, is not derived: of nf4, whose "
    "values are made for each product, peaks are."
)
NOT_ALIKE = (
    "{} is of several experts, which are made values one by one or together: no library that "
    "is known keeps these in nf4. Name the others, as in --weights nf4:NAME,NAME"
)
FEW_ROWS = (
    "where few rows are multiplied by weights in nf4, it depends on the device whether their "
    "values are made (bitsandbytes 0.50.2, gemm_4bit)."
)


def not_alive(text: str, program: Program) -> str:
    """Say why what is there while quantised weights are multiplied by is not known."""
    name = text.partition(":")[0]
    if name != UNPACKED:
        return NOT_UNPACKED.format(name)
    for body, weight in _quantised(program, read(text)[1]):
        assert isinstance(weight.op, Param)
        if weight.op.used:
            return NOT_ALIKE.format(body.path(weight))
    return ""


def lengths(text: str, program: Program) -> Iterator[tuple[str, Expr]]:
    """Yield what has to be a whole number at any sizes: blocks, by the weight that has them."""
    kind, patterns = read(text)
    for body, weight in _quantised(program, patterns):
        blocked = _blocked(kind, body, weight)
        if kind.block:
            yield body.path(weight), blocked / kind.block
        elif kind.bits % 8:
            yield body.path(weight), blocked * Rational(kind.bits, 8)
        if kind.second:
            yield body.path(weight), blocked / (kind.block * kind.second)


def check(text: str, program: Program, frozen: tuple[str, ...]) -> None:
    """Refuse quantised weights that are trained, and names of none.

    Raises:
        BadInput: a weight cannot be of the type.
    """
    kind, patterns = read(text)
    able = [body.path(weight) for body, weight in _quantised(program, ANY)]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in able):
            raise BadInput(
                f"no matrix that is multiplied by is named {shown(pattern)}. "
                + nearest(pattern, able)
            )
    for name in _seen_otherwise(program, patterns):
        raise BadInput(
            f"{name} is multiplied by in another shape than its own, and how it is cut into blocks "
            "then is not derived. Name the weights that are meant, as in "
            f"--weights {text.partition(':')[0]}:NAME,NAME"
        )
    for body, weight in _quantised(program, patterns):
        if is_trained(body, weight, frozen):
            name = body.path(weight)
            raise BadInput(
                f"{name} is trained, and a weight in a quantised type is not: freeze it "
                f"(--freeze {name!r}, or all with --freeze '*')."
            )
        _bytes(kind, body, weight)


def check_blocks(text: str, program: Program, at: Mapping[Expr, Expr]) -> None:
    """Refuse sizes at which a block would not be filled.

    Raises:
        BadInput: the elements of a weight are no whole number of blocks.
    """
    name = text.partition(":")[0]
    for weight, length in lengths(text, program):
        found = length.xreplace(at)
        if found.is_number and not found.is_Integer:
            raise BadInput(
                f"{weight} would be of {length} = {found} blocks of {name}, and none may be left "
                "unfilled: formulas are exact where all are whole. Leave such weights out by "
                f"naming the others, as in --weights {name}:NAME,NAME"
            )


def _quantised(program: Program, patterns: tuple[str, ...]) -> Iterator[tuple[Program, Tensor]]:
    for body in program.bodies:
        for weight in body.params:
            if _is_quantised(body, weight, patterns):
                yield body, weight


def _seen_otherwise(program: Program, patterns: tuple[str, ...]) -> Iterator[str]:
    """Yield the named weights that are multiplied by through views."""
    for body in program.bodies:
        for t in body.of(Contract):
            for arg in t.args[:2]:
                seen = arg
                while isinstance(seen.op, View):
                    seen = seen.args[0]
                if seen is not arg and isinstance(seen.op, Param) and len(seen.shape) > 1:
                    name = body.path(seen)
                    if any(fnmatchcase(name, pattern) for pattern in patterns):
                        yield name


def _is_quantised(program: Program, weight: Tensor, patterns: tuple[str, ...]) -> bool:
    """Whether a weight is a matrix that is only multiplied by, and is named."""
    users = _uses(program)[weight]
    assert isinstance(weight.op, Param)
    if len(weight.shape) < 2 or not users or weight.op.adapts:
        return False
    if not all(isinstance(t.op, Contract) and weight in t.args[:2] for t in users):
        return False
    return any(fnmatchcase(program.path(weight), pattern) for pattern in patterns)


@lru_cache(maxsize=256)
def _uses(program: Program) -> Mapping[Tensor, list[Tensor]]:
    found: dict[Tensor, list[Tensor]] = {weight: [] for weight in program.params}
    for t in program.tensors:
        for arg in dict.fromkeys(t.args):
            if arg in found:
                found[arg].append(t)
    return found


def _bytes(kind: Quantised, program: Program, weight: Tensor) -> Expr:
    elements = weight.size * Rational(kind.bits, 8)
    if kind.blocks == "rows":
        return elements + weight.size / _summed_over(program, weight) * kind.scale_bytes
    _blocked(kind, program, weight)
    scales = weight.size / kind.block
    found = elements + scales * kind.scale_bytes
    if kind.second:
        found += scales / kind.second * 4 + 4 * _matrices(weight)
    return found


def _blocked(kind: Quantised, program: Program, weight: Tensor) -> Expr:
    """Return what is cut into blocks: an axis that is summed over, or a whole matrix."""
    if kind.blocks == "elements":
        return weight.size / _matrices(weight)
    return _summed_over(program, weight)


def _matrices(weight: Tensor) -> Expr:
    """Return how many matrices a weight is: one for each of the experts that are side by side."""
    assert isinstance(weight.op, Param)
    return weight.shape[0] if weight.op.used else Integer(1)


def _summed_over(program: Program, weight: Tensor) -> Expr:
    """Return how many elements of a weight one element of a result is a sum of.

    Raises:
        BadInput: not every use of the weight sums over the same axes.
    """
    found = {_axes(t, weight) for t in _uses(program)[weight]}
    if len(found) != 1:
        raise BadInput(
            f"{program.path(weight)} is multiplied by along several axes, and has no rows to be "
            "scaled by: nf4 has blocks of elements, whatever their axes."
        )
    return Mul(*(weight.shape[axis] for axis in found.pop()))


def _axes(t: Tensor, weight: Tensor) -> tuple[int, ...]:
    assert isinstance(t.op, Contract)
    names = t.op.left if t.args[0] is weight else t.op.right
    return tuple(axis for axis, name in enumerate(names) if name not in t.op.out)
