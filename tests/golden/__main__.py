"""``python -m tests.golden``: write the golden file anew."""

from . import FILE, text

FILE.write_text(text(), encoding="utf-8")
print(f"wrote {FILE}")
