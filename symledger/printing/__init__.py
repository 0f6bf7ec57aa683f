"""Formulas and derivations in a notation: LaTeX, MathML, rows of a table."""
