"""EmbeddingGemma 2."""
