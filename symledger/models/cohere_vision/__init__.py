"""Aya Vision and Command A Vision."""
