"""Tables as every reader can use them: in a box that scrolls, with heads that say what they head.

A row that begins with a symbol and goes on with words says what that means, and carries its name
(``data-sym``).
A long formula scrolls in its own cell, so that the results beside it are seen.
A table that is wider than a phone scrolls in its own box, never the page; the box takes the focus
of the keyboard. Templates write plain tables; this is done to all of them in one place.
"""

from __future__ import annotations

import re

TABLE = re.compile(r"<table\b([^>]*)>(.*?)</table>", re.DOTALL)
HEADER = re.compile(r"<th(?=[\s>])(?![^>]*\bscope=)")
FOCUS = re.compile(r' tabindex="0"')
EXPLAINED = re.compile(
    r"<tr(?![^>]*data-)(?=[^>]*>\s*<t[dh][^>]*>"
    r'<math[^>]*><semantics><\w+ (data-(?:sym|tensor)="[^"]*")'
    r'(?:(?!</t[dh]>).)*</t[dh]>\s*<td(?! class="number"))'
)
FORMULA = re.compile(r"<td>(<math\b(?:(?!</?td\b).)*</math>)</td>", re.DOTALL)
LONG = 1200
"""Characters of markup of a formula that may be wider than its column has room."""
GUIDE = '<span class="guide">'


def boxed(html: str, label: str) -> str:
    """Put every table into a box of its own, called ``label``; drawn lines are not read out."""
    if "<table" not in html:
        return html
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">'
    return TABLE.sub(
        lambda m: f"{box}<table{FOCUS.sub('', m[1])}>{_scoped(m[2])}</table></div>", html
    ).replace(GUIDE, f'{GUIDE[:-1]} aria-hidden="true">')


def _scoped(rows: str) -> str:
    head, end, body = rows.rpartition("</thead>")
    body = FORMULA.sub(_fitted, body) if len(body) > LONG else body
    columns = HEADER.sub('<th scope="col"', head) + end
    if "data-sym" in body or "data-tensor" in body:
        body = EXPLAINED.sub(r"<tr \1", body)
    return columns + (HEADER.sub('<th scope="row"', body) if "<th" in body else body)


def _fitted(cell: re.Match[str]) -> str:
    return f'<td><div class="form fit">{cell[1]}</div></td>' if len(cell[1]) > LONG else cell[0]
