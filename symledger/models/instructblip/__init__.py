"""InstructBLIP."""
