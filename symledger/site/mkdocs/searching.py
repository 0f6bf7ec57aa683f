"""The search of the theme, mended.

lunr names a node of its dictionary by its letters and the numbers of the nodes behind them, one
after the other: the letter 1 before node 23 has the name of the letter 1 before node 2 and the
letter 3. Where many words are numbers two nodes are taken for one, and a search for what begins
with 2 ends in an error. A comma behind each number keeps them apart.
"""

from __future__ import annotations

import re

WORKER = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
"""The script that searches, among the files of the theme."""
NAMING = re.compile(r"(\w)=\1\+(\w)\+(\w)\.id(?=\}return \1)")


def mended(script: str) -> str:
    """Return the script with names that tell nodes apart; one without such names as it is.

    >>> mended("for(;;){var s=r[i],o=this.edges[s];e=e+s+o.id}return e")
    "for(;;){var s=r[i],o=this.edges[s];e=e+s+o.id+','}return e"
    """
    return NAMING.sub(r"\1=\1+\2+\3.id+','", script)
