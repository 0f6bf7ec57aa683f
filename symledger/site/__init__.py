"""The site: pages made of derivations, as a pure function of the package and its texts.

``generator`` makes them; ``plugin`` hands them to MkDocs, ``build`` writes, builds and verifies.
"""
