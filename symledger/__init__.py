"""Closed-form parameter, memory and FLOP formulas of neural networks, derived and checked."""
