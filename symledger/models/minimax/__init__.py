"""MiniMax-01 and M1."""
