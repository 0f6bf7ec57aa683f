"""Video-LLaVA."""
