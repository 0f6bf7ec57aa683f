"""What a text names: an entry, a layer, a configuration, a user's own file."""
