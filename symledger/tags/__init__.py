"""Permanent tags: the canonical form of a formula, and the registry of what was tagged."""
