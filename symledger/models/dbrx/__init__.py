"""DBRX: grouped attention and experts between norms that shift nothing."""
