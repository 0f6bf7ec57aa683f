"""Decoders that hear: Qwen2-Audio, Audio Flamingo 3 and Voxtral."""
