"""What sees in Gemma 4: patches of images of any shape, pooled by where they lie."""
