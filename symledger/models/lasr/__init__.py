"""LASR: a conformer whose heads are turned by their positions, over a spectrum."""
