"""Transducers: Parakeet, and a recurrent network that reads what was written."""
