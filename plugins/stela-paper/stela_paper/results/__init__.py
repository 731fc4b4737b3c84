"""docs/results.md from the runs of the paper's experiments."""
