"""BEiT and data2vec: vision transformers whose heads learn how far apart patches lie."""
