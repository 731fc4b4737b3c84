"""The passages of a text that look marked, and p-values that hold for all windows at once."""
