"""What is asked of a target, and what is derived of it: no tag, no evidence, no JSON."""
