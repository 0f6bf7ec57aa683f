"""Command R and later."""
