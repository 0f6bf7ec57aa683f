"""How programs are written down, from spelling to equations. It knows no component."""
