"""The mini-GPT."""
