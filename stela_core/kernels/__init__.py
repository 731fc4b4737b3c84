"""Fast ways to add the bias to green logits: numba, torch, Triton."""
