"""DistilBERT."""
