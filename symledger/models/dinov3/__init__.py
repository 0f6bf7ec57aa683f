"""DINOv3: a vision transformer whose patches are turned by where they stand."""
