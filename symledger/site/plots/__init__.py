"""Plots: deterministic SVG that follows the theme, each with its data beside it.

``stacked`` shows shares of a whole, ``lines`` how quantities grow; both make a ``Figure``. Text
stays text; colours, weights of lines and sizes of letters are classes of ``site.css``.
"""

from symledger.site.plots.axes import Axis
from symledger.site.plots.figure import Figure
from symledger.site.plots.lines import Series, line_plot
from symledger.site.plots.stacked import Part, stacked_bar

__all__ = ["Axis", "Figure", "Part", "Series", "line_plot", "stacked_bar"]
