"""Amounts as a tree of lines, verified steps, formulas, and the conventions they state."""
