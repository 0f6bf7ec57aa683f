"""What is alive when? The stored tensors of a program's passes, moment by moment."""
