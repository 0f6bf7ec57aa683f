"""DeepSeek-V2 and V3, and Kimi-K2."""
