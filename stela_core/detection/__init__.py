"""Detection: from a text to evidence, statistic, p-value and verdict. No torch, no model."""
