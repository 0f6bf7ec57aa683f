"""Granite 4: state spaces and attention in one stack."""
