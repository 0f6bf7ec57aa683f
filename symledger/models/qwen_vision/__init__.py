"""The encoder of images of Qwen2-VL and what came after it."""
