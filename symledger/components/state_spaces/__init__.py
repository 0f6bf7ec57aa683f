"""State-space models: selective scans, and their dual form."""
