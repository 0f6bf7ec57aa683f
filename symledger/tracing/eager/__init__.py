"""What is in memory when, as PyTorch runs a module: storages from birth to death, as formulas."""
