"""Voxtral Realtime: an encoder that hears while a sound comes, and Mistral beside it."""
