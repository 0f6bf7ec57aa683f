"""DiffLlama: LLaMA with differences of two attentions."""
