"""The site: pages made of derivations, as a pure function of the package and its texts.

``generator`` makes them; ``plugin`` hands them to MkDocs, ``build`` writes, builds and verifies.
"""

from time import time_ns

STARTED = time_ns()
"""When the package began to be imported: what is changed later may not be what runs."""
