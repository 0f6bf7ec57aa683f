"""SigLIP."""
