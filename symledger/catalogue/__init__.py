"""What can be derived by name: entries, options, synonyms, checkpoints, texts."""
