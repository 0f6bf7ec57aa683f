"""RecurrentGemma."""
