"""InternVL, and its encoder of images."""
