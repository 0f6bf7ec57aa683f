"""LayoutLM."""
