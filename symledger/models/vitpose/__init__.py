"""ViTPose: where the joints of a body are."""
