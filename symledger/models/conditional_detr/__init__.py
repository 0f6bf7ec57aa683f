"""DETR: an encoder-decoder that finds objects in what a convolutional network sees."""
