"""HRM-Text: a fast stack and a slow one, each run several times for a token."""
