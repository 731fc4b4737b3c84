"""How often a marked text like a given one is found: an estimate that needs no model."""
