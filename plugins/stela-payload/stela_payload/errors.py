"""A bound on the probability of naming a message that is not in the text.

Let a text hold the codewords c_1, ..., c_s of s messages, mixed in any way, by whoever does not have the
key. Call a place of another codeword c' *free* where none of them has its symbol. Under it the tokens of
that place draw as unmarked text does: no c_i has used these draws. c' shares at most k - 1 symbols with each
c_i, so it has ``n - s (k - 1)`` free places or more. Let it be free in all but A places, and count such c'.

* A given set of A <= k places, each with the symbol of one of the codewords, leaves ``q**(k - A)`` codewords,
  where q is the number of values of a symbol. There are ``C(n, A) s**A`` such choices.
* Of s = 1, the codewords that differ from c_1 in w = n - A places are the code's weights (MacWilliams and
  Sloane 1977, chapter 11), ``C(n, w) sum_i (-1)**i C(w, i) (q**(w - n + k - i) - 1)``: fewer.
* For A > k, or where only some messages were issued: messages are permuted by the key before they are
  encoded (``permutation.py``), so the codewords are random ones. Any k symbols of a random codeword are
  uniform and independent, those of different codewords, too; so A given symbols of the c_i fit a given c'
  with probability ``q**-A``, and all M codewords together in an expected number of ``M q**-A``, as for A <=
  k.

So of M messages, N_A = ``M C(n, A) (s / q)**A`` are expected to be free in all but A places. The message of
c' is named only where for each A = 0, ..., n and each set D of n - A places ``N_A p_A(c', D) <= w_A a``. For
A of at most :data:`SUMMED` p_A is the p-value over the tokens of D; for more it is Fisher's (1925): of the
product of the p-values of D's places, minus whose logarithm is at most a sum of n - A exponential draws.
Either has, over the free places, the probability that it says. The w_A, ``2**-(A + 1)``, add up to less than
1. The free places of c' are one of the D that are tested, so by the union bound ::

    P(there is a c' that is named, and is not among c_1, ..., c_s) <= sum over A of N_A w_A a / N_A <= a

The N_A are those of s = 2. Where a text holds three messages, N_A is 1.5**A times as large, and the sum
at most ``a sum_A 2**-(A + 1) 1.5**A < 2 a``. The messages of the c_i need not have been issued. One
symbol (k = n = 1) is free, or c' is one of the c_i: A = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import comb, exp, inf, log

from stela_payload.reed_solomon import ReedSolomon

SEVERAL = 2
"""Messages that a text may hold, s."""

SUMMED = {2: 2, 3: 3, 4: 3}
"""Places that may be left out where the tokens of all others are tested together, by k."""

Places = int
"""A set: bit j is symbol j."""

TailOf = Callable[[Places], float]
"""The p-value of the message over the tokens of some places; 1 where there are none."""


def error_of(tail: TailOf, code: ReedSolomon, messages: float) -> float:
    """A bound on the probability of naming a message that is not in the text.

    Args:
        tail: of the message that was read.
        code: that messages are encoded by.
        messages: how many others there are.
    """
    tail, every = cache(tail), (1 << code.n) - 1
    if code.k == 1:
        return min(1.0, messages * tail(every))
    worst = 2 * messages * tail(every)
    if worst >= 1:
        return 1.0
    for left in range(1, SUMMED[code.k] + 1):
        most = max(tail(every - sum(1 << j for j in own)) for own in combinations(range(code.n), left))
        worst = max(worst, 2.0 ** (left + 1) * expected_number(code, messages, left) * most)
    own = [tail(1 << j) for j in range(code.n)]
    evidence = sorted(-log(p) if p > 0 else inf for p in own)
    for left in range(SUMMED[code.k] + 1, code.n + 1):
        most = fisher_tail(sum(evidence[: code.n - left]), code.n - left)
        worst = max(worst, 2.0 ** (left + 1) * expected_number(code, messages, left) * most)
    return min(1.0, worst)


def expected_number(code: ReedSolomon, messages: float, shared: int) -> float:
    """Expected number N_A of other messages that share A symbols with those of the text."""
    return messages * comb(code.n, shared) * (SEVERAL / code.values) ** shared


def fisher_tail(evidence: float, count: int) -> float:
    """The probability that ``count`` exponential draws add up to ``evidence`` or more; 1 for none."""
    if count == 0 or evidence == 0:
        return 1.0
    if evidence == inf:
        return 0.0
    term, total = 1.0, 1.0
    for i in range(1, count):
        term *= evidence / i
        total += term
    return exp(log(total) - evidence)
