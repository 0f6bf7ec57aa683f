"""Formulas as HTML: the one place through which pages ask for mathematics."""

from __future__ import annotations

from markupsafe import Markup, escape

from symledger import algebra
from symledger.algebra import Terms


def inline(polynomial: Terms) -> Markup:
    """Write a polynomial within a sentence or a table cell."""
    return Markup('<span class="formula">{}</span>').format(escape(algebra.text(polynomial)))
