"""Blocks of networks of images."""
