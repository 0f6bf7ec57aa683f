"""Names of classes as names in formulas."""

from __future__ import annotations

import re
from functools import cache


@cache
def snake(name: str) -> str:
    """Turn a class name into a name as formulas have them.

    >>> snake("MiniGPT")
    'mini_gpt'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
