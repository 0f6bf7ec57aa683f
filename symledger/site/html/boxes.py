"""Tables as every reader can use them: in a box that scrolls, with heads that say what they head.

A row that begins with a symbol and goes on with words says what that means, and carries its name
(``data-sym``).
A long formula is broken into lines in its cell, so that all of it and the results are seen.
A table that is wider than a phone scrolls in its own box, never the page; the box takes the focus
of the keyboard. Templates write plain tables; this is done to all of them in one place.
"""

from __future__ import annotations

import re

from symledger.printing.breaking import WIDTH
from symledger.printing.mathml.block import folded

TABLE = re.compile(r"<table\b([^>]*)>(.*?)</table>", re.DOTALL)
HEADER = re.compile(r"<th(?=[\s>])(?![^>]*\bscope=)")
FOCUS = re.compile(r' tabindex="0"')
EXPLAINED = re.compile(
    r"<tr(?![^>]*data-)(?=[^>]*>\s*<t[dh][^>]*>"
    r'<math[^>]*><semantics><\w+ (data-(?:sym|tensor)="[^"]*")'
    r'(?:(?!</t[dh]>).)*</t[dh]>\s*<td(?! class="number"))'
)
FORMULA = re.compile(r"(?<=<td>)<math>(?:(?!</math>).)*</math>(?= ?<)", re.DOTALL)
BELOW = re.compile(r'(?<=<span class="given">)<math>(?:(?!</math>).)*</math>(?=</span>)', re.DOTALL)
"""A formula that a cell begins with; one that stands below a number."""
BESIDE = 20
"""Visible characters in a line of a formula below a number: such columns are side by side."""
ROOM = {"narrow": 20, "middle": 24}
"""Those of a formula in a table whose class says that its columns are many."""
GUIDE = '<span class="guide">'


def boxed(html: str, label: str) -> str:
    """Put every table into a box of its own, called ``label``; drawn lines are not read out."""
    if "<table" not in html:
        return html
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">'
    return TABLE.sub(
        lambda m: f"{box}<table{FOCUS.sub('', m[1])}>{_table(m[1], m[2])}</table></div>", html
    ).replace(GUIDE, f'{GUIDE[:-1]} aria-hidden="true">')


def _table(attributes: str, rows: str) -> str:
    head, end, body = rows.rpartition("</thead>")
    width = next((n for name, n in ROOM.items() if name in attributes), WIDTH)
    body = FORMULA.sub(lambda m: folded(m[0], width), body)
    body = BELOW.sub(lambda m: folded(m[0], BESIDE), body)
    columns = HEADER.sub('<th scope="col"', head) + end
    if "data-sym" in body or "data-tensor" in body:
        body = EXPLAINED.sub(r"<tr \1", body)
    return columns + (HEADER.sub('<th scope="row"', body) if "<th" in body else body)
