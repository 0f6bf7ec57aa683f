"""The content security policy of a page: what it may load is its own files, and nothing else.

Scripts of the theme that stand within the page are listed by their hash, as the built page has
them; any other is refused by the browser.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

INLINE = re.compile(r"<script(?: id=\"[^\"]*\")?>(.*?)</script>", re.DOTALL)
HEAD = re.compile(r"<meta charset=\"utf-8\"\s*/?>")
RULES = (
    "default-src 'none'", "style-src 'self'", "font-src 'self'", "img-src 'self' data:",
    "connect-src 'self'", "worker-src 'self'", "form-action 'none'", "base-uri 'none'",
)  # fmt: skip


def secured(html: str) -> str:
    """Put the policy at the head of a built page; what has no head is returned as it is."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(html)}">'
    return HEAD.sub(lambda found: f"{found[0]}\n      {meta}", html, count=1)


def policy(html: str) -> str:
    """Return the policy that a page needs."""
    hashes = sorted({f"'sha256-{_digest(script)}'" for script in INLINE.findall(html)})
    return "; ".join([*RULES, " ".join(["script-src 'self'", *hashes])])


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()
