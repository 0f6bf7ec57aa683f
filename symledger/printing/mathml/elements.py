"""Elements of MathML Core as markup, escaped; nothing of this knows what a formula means.

A *row* is markup of elements beside each other: what a ``<mrow>``, a ``<mtd>`` or a fraction's
bar takes. It is put into one element only where one is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from itertools import islice

from sympy import Symbol

TIMES = "<mo>\u2062</mo>"
"""The product of what stands beside each other, for those who listen."""
APPLY, AND = "<mo>\u2061</mo>", "<mo>\u2063</mo>"
"""A function of what follows; one index and the next: neither is seen."""
PLUS, MINUS, DOT, EQUALS = "<mo>+</mo>", "<mo>−</mo>", "<mo>·</mo>", "<mo>=</mo>"
COMMA = "<mo>,</mo>"
NEGATIVE = '<mo form="prefix">−</mo>'
TALL = ("<mfrac", "<munder", "<mtable", "<msqrt")
TAG = re.compile(r"<(/?)([a-z]+)[^>]*>")


def element(tag: str, *content: str, **attributes: str) -> str:
    """Write an element around markup; ``data_sym="d"`` is the attribute data-sym."""
    inside = "".join(content)
    if not attributes:
        return f"<{tag}>{inside}</{tag}>"
    named = ((name.replace("_", "-"), escape(value)) for name, value in attributes.items())
    written = "".join(f' {name}="{value}"' for name, value in named)
    return f"<{tag}{written}>{inside}</{tag}>"


def identifier(name: str, **attributes: str) -> str:
    """Write a name: one letter is slanted, a word upright."""
    return element("mi", escape(name), **attributes)


def number(n: int) -> str:
    """Write a whole number, not negative, in groups of three from five digits on."""
    return element("mn", f"{n:,}" if n >= 10000 else str(n))


def operator(sign: str, **attributes: str) -> str:
    """Write a sign."""
    return element("mo", escape(sign), **attributes)


def words(text: str) -> str:
    """Write words; spaces at their ends stay."""
    inner = text.strip(" ")
    ends = "\u00a0" * text.startswith(" "), "\u00a0" * text.endswith(" ")
    return element("mtext", ends[0] + escape(inner) + ends[1])


def children(row: str) -> Iterator[str]:
    """Yield the elements of a row."""
    depth = start = at = 0
    while (at := row.find("<", at)) >= 0:
        depth += -1 if row[at + 1] == "/" else 1
        at = row.index(">", at) + 1
        if depth == 0:
            yield row[start:at].strip()
            start = at


def one(row: str) -> str:
    """Put a row into one element, where it is not one already."""
    return row if is_one(row) else element("mrow", row)


def is_one(row: str) -> bool:
    """Whether a row is one element; not all of it is read where its first tag says so."""
    if row.count("<") == 2:
        return True
    name = TAG.match(row)
    if name is not None and row.count(f"<{name[2]}") == 1:
        return row.endswith(f"</{name[2]}>")
    return len(list(islice(children(row), 2))) == 1


def parens(row: str) -> str:
    """Put parentheses around a row; they grow around what is tall."""
    return element("mrow", *enclosed("(", row, ")"))


def enclosed(left: str, row: str, right: str) -> tuple[str, str, str]:
    """Put two signs around a row, which grow around what is tall."""
    how = {} if any(tag in row for tag in TALL) else {"stretchy": "false"}
    return operator(left, **how), row, operator(right, **how)


def fraction(above: str, below: str) -> str:
    """Write a fraction of two rows."""
    return element("mfrac", one(above), one(below))


def power(base: str, exponent: str) -> str:
    """Raise a row to a row."""
    return element("msup", one(base), one(exponent))


@cache
def symbol(s: Symbol) -> str:
    """Write a size, which says its plain name in ``data-sym``: ``d_ff`` is a d with an upright ff.

    It is spelled as in LaTeX (``sizes.latex_name``).
    """
    head, _, subscript = s.name.partition("_")
    if not (head and subscript):
        return identifier(s.name, data_sym=s.name)
    below = name_below(subscript.replace("_", "\u2009"))
    return element("msub", identifier(head), below, data_sym=s.name)


def name_below(subscript: str) -> str:
    """Write the subscript that belongs to a name: a letter, a word, a number."""
    return element("mn", subscript) if subscript.isdigit() else identifier(subscript)
