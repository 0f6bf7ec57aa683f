"""Encoders of images of any size whose patches are turned by where they stand, and their users."""
