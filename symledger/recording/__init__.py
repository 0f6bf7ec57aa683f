"""Making what is recorded: what is stale, made anew by all cores, whatever kind of record it is."""
