"""The kernel of ``triton_bias.py``; importing this module needs Triton."""

import triton
import triton.language as tl


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
    """The definition of ``mixing.py`` for ``BLOCK`` ids of one row, in unsigned 32-bit arithmetic."""
    row = tl.program_id(0)
    ids = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    here = ids < width
    score = tl.load(scores + row.to(tl.int64) * stride + ids, mask=here)
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
    green = (x.to(tl.int64) < below) & (ids < vocab_size)
    # In 16-bit types the sum is made in float32 and rounded once, as everywhere.
    raised = (score.to(tl.float32) + tl.load(biases + row)).to(score.dtype)
    tl.store(out + row.to(tl.int64) * width + ids, tl.where(green, raised, score), mask=here)
