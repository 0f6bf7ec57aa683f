"""Kolibri and Flint of Aleph Alpha."""
