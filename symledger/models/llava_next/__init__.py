"""LLaVA-NeXT and LLaVA-OneVision: images cut into tiles."""
