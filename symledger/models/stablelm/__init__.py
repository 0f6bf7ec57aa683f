"""StableLM 2."""
