"""Fun-ASR-Nano: an encoder with memories of what stands around, an adaptor, and Qwen3."""
