"""The kernels of ``bias.py`` and ``rows.py``; importing this module needs Triton.

A program takes ``BLOCK`` ids of one row: program (row, block).
"""

import triton
import triton.language as tl


@triton.jit
def green_ids(ids, low, high, row, vocab_size, below):  # type: ignore[no-untyped-def]
    """Whether ids are green: the definition of ``mixing.py``, in unsigned 32-bit arithmetic."""
    s0 = tl.load(low + row).to(tl.uint32, bitcast=True)
    s1 = tl.load(high + row).to(tl.uint32, bitcast=True)
    x = ids.to(tl.uint32) ^ s0
    x ^= x >> 17
    x *= 0xED5AD4BB
    x ^= s1
    x ^= x >> 11
    x *= 0xAC4C1B51
    x ^= x >> 15
    x *= 0x31848BAB
    x ^= x >> 14
    # Compared as 64-bit numbers: ``below`` is at most 2**32 - 1, and both are positive there.
    return (x.to(tl.int64) < below) & (ids < vocab_size)


@triton.jit  # type: ignore[untyped-decorator]
def bias_block(  # type: ignore[no-untyped-def]
    scores,
    out,
    low,
    high,
    biases,
    width,
    vocab_size,
    below,
    stride,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Scores with the row's bias on green ids."""
    row = tl.program_id(0)
    ids = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    here = ids < width
    score = tl.load(scores + row.to(tl.int64) * stride + ids, mask=here)
    green = green_ids(ids, low, high, row, vocab_size, below)
    # In 16-bit types the sum is made in float32 and rounded once, as everywhere.
    raised = (score.to(tl.float32) + tl.load(biases + row)).to(score.dtype)
    tl.store(out + row.to(tl.int64) * width + ids, tl.where(green, raised, score), mask=here)


@triton.jit
def block_shares(scores, row, ids, width, stride):  # type: ignore[no-untyped-def]
    """The logits of a block less their largest, their exponentials, and the largest.

    Where no token may come, logits count as 0, and so do their exponentials.
    """
    score = tl.load(scores + row.to(tl.int64) * stride + ids, mask=ids < width, other=float("-inf"))
    score = score.to(tl.float32)
    top = tl.max(score, axis=0)
    possible = score > float("-inf")
    less = tl.where(possible, score - top, 0.0)
    return less, tl.where(possible, tl.exp(less), 0.0), top


@triton.jit  # type: ignore[untyped-decorator]
def mass_block(  # type: ignore[no-untyped-def]
    scores,
    tops,
    totals,
    greens,
    low,
    high,
    width,
    vocab_size,
    below,
    stride,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Largest logit, sum of exponentials less it, and that of the green ids only."""
    row = tl.program_id(0)
    ids = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    _, shares, top = block_shares(scores, row, ids, width, stride)
    green = green_ids(ids, low, high, row, vocab_size, below)
    part = row * tl.num_programs(1) + tl.program_id(1)
    tl.store(tops + part, top)
    tl.store(totals + part, tl.sum(shares, axis=0))
    tl.store(greens + part, tl.sum(tl.where(green, shares, 0.0), axis=0))


@triton.jit  # type: ignore[untyped-decorator]
def moment_block(  # type: ignore[no-untyped-def]
    scores,
    tops,
    totals,
    moments,
    width,
    stride,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Largest logit, sum of exponentials less it, and sum of their products with logits less it."""
    row = tl.program_id(0)
    ids = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    less, shares, top = block_shares(scores, row, ids, width, stride)
    part = row * tl.num_programs(1) + tl.program_id(1)
    tl.store(tops + part, top)
    tl.store(totals + part, tl.sum(shares, axis=0))
    tl.store(moments + part, tl.sum(shares * less, axis=0))
