"""An account written down: as a page, LaTeX, Markdown or Python. Nothing is derived here."""
