"""YOLOS: a vision transformer with vectors that look for objects."""
