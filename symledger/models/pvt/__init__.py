"""Pyramid vision transformers: four stages of attention to fewer keys than there are places."""
