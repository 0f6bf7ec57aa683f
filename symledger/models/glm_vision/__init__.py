"""The encoder of images of GLM-4.1V and what came after it, and the models that see by it."""
