"""What is searched: outlines of the whole catalogue, recorded and looked up."""
