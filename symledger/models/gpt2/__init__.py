"""GPT-2 and GPT-3."""
