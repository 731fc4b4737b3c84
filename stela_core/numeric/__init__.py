"""Pure maths: hashing, entropy, statistics. Numpy alone, but for the two generation paths."""
