"""Llama 4: chunks, layers without positions, and experts that weigh what they are given."""
