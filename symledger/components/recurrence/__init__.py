"""Recurrent networks over time, and single steps of them."""
