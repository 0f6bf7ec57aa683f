"""What readers are told, in every language: messages with keys, and catalogues that say them."""
