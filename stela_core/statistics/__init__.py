"""Statistics of the mark: grouped pairs, exact p-values, intervals. Pure functions."""
