"""Readings of a program, one file, one question. None of them knows a component."""
