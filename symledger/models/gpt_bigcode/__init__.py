"""GPT-BigCode (SantaCoder, StarCoder)."""
