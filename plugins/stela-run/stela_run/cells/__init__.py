"""Cells of an experiment: generate, attack, detect, measure, store."""
