"""Everything that is known about a target: formulas, tags, evidence, JSON; two compared."""
