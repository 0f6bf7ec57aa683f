"""Model families: compositions of components, with the configurations they were published in."""
