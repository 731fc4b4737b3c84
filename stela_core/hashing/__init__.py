"""Colours of tokens by integer arithmetic, and the keys they depend on: numpy, no torch."""
