"""Nemotron-4 and Minitron, Jais 2 and Persimmon."""
