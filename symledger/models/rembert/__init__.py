"""RemBERT."""
