"""The choice of tokens in torch operations: any device, any floating-point type."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from stela_kernels.philox.philox import MULTIPLIERS, ROUNDS, WEYL
from stela_kernels.philox.textseal_hash import OF_TOKEN, SHIFT, SIZE

from stela_gumbel.uniforms import LEAST, OWN, SGLANG, STRETCH, TEXTSEAL

LOW = 0xFFFFFFFF

CELLS = 1 << 20
"""Cells (rows times ids) worked on at once on a CPU, a row at a time at least."""

CELLS_ELSEWHERE = 1 << 24


def mark(kind: int, scores: torch.Tensor, words: npt.NDArray[np.uint32], vocab_size: int) -> torch.Tensor:
    """New scores, 0 at the chosen id below ``vocab_size`` of each row and -inf elsewhere.

    Arguments as for ``fused.mark``, on any device. A row without a choice is copied.
    """
    out = torch.full_like(scores, -torch.inf)
    of_rows = torch.from_numpy(words.astype(np.int64)).to(scores.device)
    tokens = torch.arange(vocab_size, dtype=torch.int64, device=scores.device)
    cells = CELLS if scores.device.type == "cpu" else CELLS_ELSEWHERE
    step = max(1, cells // max(1, vocab_size))
    for start in range(0, len(scores), step):
        part = slice(start, start + step)
        logits = scores[part, :vocab_size]
        noisy = logits.to(torch.promote_types(logits.dtype, torch.float32))
        noisy = noisy + noise(kind, numbers(kind, of_rows[part], tokens)).to(noisy.dtype)
        # What is not a number is never chosen, as by the compiled pass.
        most, chosen = noisy.nan_to_num(-torch.inf, torch.inf, -torch.inf).max(dim=1, keepdim=True)
        out[part].scatter_(1, chosen, 0.0)
        out[part] = torch.where(most == -torch.inf, scores[part], out[part])
    return out


def numbers(kind: int, words: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """The 32-bit numbers of tokens (n,) under words (rows, k), int64 both: (rows, n), int64."""
    columns = words[:, :, None].unbind(1)
    if kind == OWN:
        return _own(columns, tokens[None])
    if kind == SGLANG:
        return _sglang(columns, tokens[None])
    if kind == TEXTSEAL:
        return _textseal(columns, tokens[None])
    return _vllm(columns, tokens[None])


def noise(kind: int, x: torch.Tensor) -> torch.Tensor:
    """``-log(-log u)`` of the uniforms of numbers, float32: exact to single precision at both ends."""
    if kind == TEXTSEAL:
        u = (x // STRETCH).double().div_(SIZE).clamp_(min=LEAST)
        return u.log_().neg_().log_().neg_().float()
    if kind not in (OWN, SGLANG):
        u = ((x >> 8).double() + 1).div_(2**24 + 1).float()
        return u.log_().neg_().log_().neg_()
    # Above one half from its distance to one, which is a whole number and a half: 1 - u would lose it.
    upper = ((LOW - x).float() + 0.5).div_(-(2.0**32)).log1p_()
    lower = (x.float() + 0.5).div_(2.0**32).log_()
    return torch.where(x < 1 << 31, lower, upper).neg_().log_().neg_()


def _own(words: tuple[torch.Tensor, ...], tokens: torch.Tensor) -> torch.Tensor:
    x = tokens ^ words[0]
    x = ((x ^ x >> 17) * 0xED5AD4BB & LOW) ^ words[1]
    x = (x ^ x >> 11) * 0xAC4C1B51 & LOW
    x = (x ^ x >> 15) * 0x31848BAB & LOW
    return x ^ x >> 14


def _sglang(words: tuple[torch.Tensor, ...], tokens: torch.Tensor) -> torch.Tensor:
    k = tokens * 0xCC9E2D51 & LOW
    k = (k << 15 & LOW | k >> 17) * 0x1B873593 & LOW
    x = words[0] ^ k
    x = ((x << 13 & LOW | x >> 19) * 5 + 0xE6546B64 & LOW) ^ 16
    x = (x ^ x >> 16) * 0x85EBCA6B & LOW
    x = (x ^ x >> 13) * 0xC2B2AE35 & LOW
    return x ^ x >> 16


def _textseal(words: tuple[torch.Tensor, ...], tokens: torch.Tensor) -> torch.Tensor:
    # Signed products and sums wrap: their bits are right.
    signed = OF_TOKEN - (1 << 64) if OF_TOKEN >> 63 else OF_TOKEN
    u = (words[0] | words[1] << 32) + tokens * signed
    return (u ^ u >> SHIFT) % SIZE * STRETCH


def _vllm(words: tuple[torch.Tensor, ...], tokens: torch.Tensor) -> torch.Tensor:
    quarters = torch.arange(0, (tokens.shape[1] + 3) // 4, dtype=torch.int64, device=tokens.device)[
        None
    ].expand(len(words[0]), -1)
    a, b, c, d = quarters, words[0], words[1], words[2]
    k, m = words[3], words[4]
    for _ in range(ROUNDS):
        # The product of 64 bits wraps to a negative number, whose bits are right.
        p, q = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b, c, d = (q >> 32 & LOW) ^ b ^ k, q & LOW, (p >> 32 & LOW) ^ d ^ m, p & LOW
        k, m = k + WEYL[0] & LOW, m + WEYL[1] & LOW
    return torch.stack([a, b, c, d], dim=-1).flatten(1)[:, : tokens.shape[1]]
