"""The encoder of Llama 3.2 Vision."""
