"""MiniMax-M3 with images, and its encoder."""
