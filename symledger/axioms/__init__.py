"""The axioms: for every operation a program as small as it can be, to read its rules off."""
