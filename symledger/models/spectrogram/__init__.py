"""Audio spectrogram transformer: DeiT over the picture of a sound."""
