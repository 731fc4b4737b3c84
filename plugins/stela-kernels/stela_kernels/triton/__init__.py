"""Fused passes over logits on a GPU: bias on green tokens, entropies, the green tokens' probability."""

from stela_kernels.triton.bias import add_bias
from stela_kernels.triton.rows import TritonSplit, entropies

split = TritonSplit
"""Each row's split of the vocabulary."""

__all__ = ["add_bias", "entropies", "split"]
