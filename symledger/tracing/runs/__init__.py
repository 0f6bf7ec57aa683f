"""One run of a module, on tensors that have no elements: who writes down what it does, and how."""
