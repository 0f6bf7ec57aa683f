"""Configurations of real models: a ``config.json``, read key by key, or refused by name."""
