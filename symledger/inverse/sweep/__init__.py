"""Sweeps: every configuration of a grid, evaluated, filtered, the best of them kept."""
