"""The encoder of sounds of GLM-ASR, and LLaMA that hears by it."""
