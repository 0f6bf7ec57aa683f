"""Does it run? NumPy execution of a program, forward and backward."""
