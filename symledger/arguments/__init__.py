"""What is given by name: arguments of layers and keys of configurations, and what each does."""
