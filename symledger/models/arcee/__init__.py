"""AFM of Arcee, Apertus and nanochat: LLaMA's blocks with a plain network."""
