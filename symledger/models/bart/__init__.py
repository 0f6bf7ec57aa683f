"""BART and mBART."""
