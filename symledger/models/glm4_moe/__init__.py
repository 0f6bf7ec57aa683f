"""GLM-4.5: routed and shared experts in LLaMA's blocks."""
