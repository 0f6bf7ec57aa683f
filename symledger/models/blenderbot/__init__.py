"""BlenderBot, large and small."""
