"""wav2vec 2.0, HuBERT and their likes: encoders of sounds as they were recorded."""
