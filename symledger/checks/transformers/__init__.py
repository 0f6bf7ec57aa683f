"""Configurations against the reference implementation, built without memory."""
