"""A family's definition against its reference implementation, traced: as polynomials."""
