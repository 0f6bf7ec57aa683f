"""BERT as an encoder or a decoder of text that is generated."""
