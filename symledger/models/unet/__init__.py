"""U-Net."""
