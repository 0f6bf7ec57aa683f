"""The same elements laid out otherwise, or taken from the nearest ones."""
