"""Fast ways to mark logits, and to try many keys: numba, torch, Triton."""
