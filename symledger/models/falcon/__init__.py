"""Falcon."""
