"""SegFormer: attention to squares of places, and networks that look at neighbours."""
