"""The plugin of MkDocs, and what it does beside rendering."""
