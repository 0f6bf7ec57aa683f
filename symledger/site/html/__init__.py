"""Pieces of pages: formulas, tables, calculators."""
