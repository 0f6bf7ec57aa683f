"""What the keys of a configuration do: the words that families are described in."""
