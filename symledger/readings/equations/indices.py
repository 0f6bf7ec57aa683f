"""Where the elements of an argument stand: indices moved, split, merged, seen through windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Symbol

from symledger.ir.ops import Overlap, Rearrange, Windows
from symledger.ir.shapes import ONE
from symledger.ir.tensor import Tensor
from symledger.readings.equations.letters import NOWHERE, ZERO, Axis, Index
from symledger.readings.equations.outline import groups_of
from symledger.readings.equations.scalar import scalar
from symledger.readings.equations.text import ATOM, TERMS, Notation, Piece


class Places:
    """Spells indices and sizes in one notation.

    ``sizes`` are the names of sizes that were mentioned: none of them may be an index letter.
    """

    def __init__(self, notation: Notation) -> None:
        self.to = notation
        self.sizes = frozenset[str]()

    def scalar(self, e: Expr, given: Mapping[Symbol, Piece]) -> Piece:
        """Write a scalar expression; the sizes that it mentions are no index letters then."""
        self.sizes |= {str(s) for s in e.free_symbols if s not in given}
        return scalar(e, given, self.to)

    def size(self, e: Expr) -> str:
        """Write a size."""
        return self.scalar(e, {}).text

    def shown(self, at: Sequence[Index]) -> list[str]:
        """Spell indices, those of axes of length 1 left out."""
        return [self.index(i) for i in at if i != NOWHERE]

    def index(self, i: Index) -> str:
        """Spell one index."""
        if i.parts:
            text = self.to.group([self.index(p) for p, _ in i.parts])
        else:
            text = self.to.letter(i.text) if len(i.text) == 1 else i.text
        if i.offset == 0:
            return text
        letter = Symbol("_letter")
        return self.scalar(letter + i.offset, {letter: Piece(text)}).text

    def place(self, i: Index) -> str:
        """Spell an index where a number has to stand: the only place of an axis of length 1."""
        return self.index(i) or self.to.number(0)

    def rearranged(self, op: Rearrange, at: Sequence[Index]) -> list[Index]:
        """The indices of an argument whose axes are split, permuted and merged."""
        place: dict[str, Index] = {}
        for group, i in zip(groups_of(op, op.right), at, strict=True):
            if len(group) == 1:
                place[group[0][0]] = i
            elif [n for _, n in group] == [n for _, n in i.parts] and i.offset == 0:
                place |= {name: part for (name, _), (part, _) in zip(group, i.parts, strict=True)}
            else:
                place |= self._split(group, self.index(i))
        return [
            NOWHERE if not group else place[group[0][0]] if len(group) == 1
            else Index(parts=tuple((place[name], n) for name, n in group))
            for group in groups_of(op, op.left)
        ]  # fmt: skip

    def _split(self, group: Axis, text: str) -> dict[str, Index]:
        """The indices of the parts of an axis, from one letter: whole quotients and remainders."""
        whole, found, below = Symbol("_whole"), {}, ONE
        given = {whole: self.atom(text)}
        for position, (name, n) in reversed(list(enumerate(group))):
            part = Piece(self.to.floor(self.scalar(whole / below, given).text))
            if below == ONE:
                part = Piece(text)
            if position:
                part = self.to.function("mod", self.to.comma.join((part.text, self.size(n))))
            found[name] = Index(part.text)
            below = below * n
        return found

    def placed(self, x: Tensor, at: Sequence[Index], axis: int, start: Expr) -> list[Index]:
        """The index of an argument that stands at ``start`` in an axis of the result."""
        i = at[axis]
        if i == NOWHERE:
            i = Index(self.size(-start))
        elif x.shape[axis] != ONE:
            i = i.moved(-start)
        return [*at[:axis], i, *at[axis + 1 :]]

    def inside(self, i: Index, start: Expr, length: Expr, whole: Expr) -> str:
        """The condition that an index lies in a part of an axis; nothing where it always does."""
        first, end = (self.size(e) for e in (start, (start + length).expand()))
        at, less, least = self.index(i), self.to.relation("<"), self.to.relation("<=")
        if length == whole:
            return ""
        if length == ONE:
            return f"{at} {self.to.relation('==')} {first}"
        if start == 0:
            return f"{at} {less} {end}"
        if (start + length - whole).expand() == 0:
            return f"{first} {least} {at}"
        return f"{first} {least} {at} {less} {end}"

    def within(self, op: Windows | Overlap, position: Index, offset: Index) -> Piece:
        """Where in its axis an element of a window stands."""
        o, k = letters_of = Symbol("_o"), Symbol("_k")
        known = {s: i for s, i in zip(letters_of, (position, offset), strict=True) if i != NOWHERE}
        given = {s: self.atom(self.index(i)) for s, i in known.items()}
        place = (o if o in known else ZERO) * op.stride + (k if k in known else ZERO) * op.dilation
        return self.scalar(place - op.padding, given)

    def atom(self, text: str) -> Piece:
        """An index as a piece, which may have to be put in parentheses."""
        return Piece(text, ATOM if self.to.is_atom(text) else TERMS)
