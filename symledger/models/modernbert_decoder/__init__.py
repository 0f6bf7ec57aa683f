"""ModernBERT as a decoder: its blocks, which look back alone."""
