"""What definitions are written in: components, their steps, and the verbs of a ``forward``."""
