"""Feed-forward networks, nonlinearities, mixtures of experts."""
