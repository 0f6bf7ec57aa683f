"""Where a number comes from: the formulas, or lines of a model, that give it."""
