"""How much of the way from uniform weights to EWD can be had from the text alone (docs/weights.md)."""
