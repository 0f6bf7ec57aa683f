"""dots3-note."""
