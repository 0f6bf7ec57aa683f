"""Nemotron-H and Nemotron 3."""
