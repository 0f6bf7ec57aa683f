"""Vision transformers over blocks of a film: ViViT and VideoMAE."""
