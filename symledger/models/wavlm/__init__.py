"""WavLM."""
