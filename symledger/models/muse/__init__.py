"""Muse Glimmer and Muse Spark."""
