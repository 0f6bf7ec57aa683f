"""CPM-Ant: an encoder of gated blocks, used to write, before whose words learned vectors stand."""
