"""A trace compared with what PyTorch says: at other sizes, run for real, saved and run again."""
