"""BLIP-2 and InstructBLIP."""
