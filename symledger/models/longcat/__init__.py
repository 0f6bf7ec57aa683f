"""LongCat-Flash."""
