"""Plots: deterministic SVG that follows the theme, each with its data beside it.

``stacked`` shows shares of a whole, ``lines`` how quantities grow, ``scatter`` how many things
compare; all make a ``Figure``. Text stays text; colours, weights of lines and sizes of letters are
classes of ``site.css``.
"""

from symledger.site.plots.axes import Axis
from symledger.site.plots.figure import Figure
from symledger.site.plots.lines import Series, line_plot
from symledger.site.plots.scatter import Point, Rule, scatter_plot
from symledger.site.plots.stacked import Part, stacked_bar

__all__ = [
    "Axis", "Figure", "Part", "Point", "Rule", "Series", "line_plot", "scatter_plot", "stacked_bar",
]  # fmt: skip
