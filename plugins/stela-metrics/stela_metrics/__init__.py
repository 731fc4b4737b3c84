"""Metrics of the runner, five plugins: what a mark is found by, costs and changes."""
