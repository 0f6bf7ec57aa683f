"""EXAONE 4.5, which sees."""
