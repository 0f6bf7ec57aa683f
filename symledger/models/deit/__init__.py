"""DeiT: a vision transformer that learns from another model, too."""
