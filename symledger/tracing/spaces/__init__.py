"""The sizes of a module: how each may be changed, where it is run, and what is fitted there."""
