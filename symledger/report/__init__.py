"""An account written down: for a terminal, as LaTeX, Markdown or Python. Nothing is computed here."""
