"""OWL-ViT and OWLv2: CLIP, and boxes of what has a name."""
