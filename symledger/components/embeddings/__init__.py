"""From tokens and positions to vectors."""
