"""Deliberate mistakes, each of which some check has to find."""
