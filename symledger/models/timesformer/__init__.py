"""TimeSformer: attention through time, then through space."""
