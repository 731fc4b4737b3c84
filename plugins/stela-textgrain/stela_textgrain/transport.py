"""The coupling of blocks and columns: as much mass on high scores as an entropy budget allows.

Li et al. (textGrain, 2026): with rows that sum to the blocks' probabilities rho and columns that sum to 1/m,
maximise the mean score subject to ``KL(pi || rho x uniform) <= budget``. That divergence is what token and
column say about each other, so it is the entropy that the key takes from the choice, in the mean over
columns. The maximum is ``pi(b, j) = u(b) exp(eta G(b, j)) v(j)`` of one eta (Cuturi 2013, whose
Sinkhorn iterations give u and v); eta is found by halving an interval.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

STEEPEST = 8.0
"""Largest eta. Scores have a standard deviation of 1, so ``exp(eta G)`` is below 1e40."""

HALVINGS = 10
"""Halvings of the interval that holds eta: to 1 % of STEEPEST."""

SWEEPS = 4
"""Sinkhorn iterations for each eta: they begin where those of the last one ended."""

LAST_SWEEPS = 12
"""Sweeps for the eta that was found. What they leave is made good exactly (:func:`with_marginals`)."""

TINY = 1e-300


def couplings(rho: Floats, scores: Floats, budgets: Floats) -> Floats:
    """Couplings (rows, blocks, m) whose sums are exactly ``rho`` and 1/m, to rounding.

    Args:
        rho: probabilities of the blocks, (rows, blocks); a row sums to 1.
        scores: G, standardised, (rows, blocks, m).
        budgets: largest divergence in nats, at least 0, (rows,). A row whose blocks have less to give gets
            nearly all that they have.
    """
    columns = scores.shape[2]
    low, high = np.zeros(len(rho)), np.full(len(rho), STEEPEST)
    v = np.ones((len(rho), 1, columns))
    for _ in range(HALVINGS):
        eta = (low + high) / 2
        kernel = np.exp(eta[:, None, None] * scores)
        u, v = sinkhorn(rho, kernel, v, SWEEPS)
        above = divergences(u * kernel * v, rho) > budgets
        low, high = np.where(above, low, eta), np.where(above, eta, high)
    # The lower end: within the budget.
    kernel = np.exp(low[:, None, None] * scores)
    u, v = sinkhorn(rho, kernel, v, LAST_SWEEPS)
    pi = with_marginals(u * kernel * v, rho)
    # The divergence is convex: so much of the independent coupling brings what is above the budget below it.
    taken = divergences(pi, rho)
    kept = np.where(taken > budgets, budgets / np.maximum(taken, TINY), 1)[:, None, None]
    within: Floats = kept * pi + (1 - kept) * rho[:, :, None] / columns
    return within


def sinkhorn(rho: Floats, kernel: Floats, v: Floats, sweeps: int) -> tuple[Floats, Floats]:
    """Scalings u (rows, blocks, 1) and v (rows, 1, m); the columns of ``u kernel v`` then sum to 1/m."""
    share = 1 / kernel.shape[2]
    for _ in range(sweeps):
        u = rho[:, :, None] / np.maximum((kernel * v).sum(axis=2, keepdims=True), TINY)
        v = share / np.maximum((kernel * u).sum(axis=1, keepdims=True), TINY)
    return u, v


def with_marginals(near: Floats, rho: Floats) -> Floats:
    """The nearest couplings whose sums are right: Altschuler, Weed and Rigollet (NeurIPS 2017), algorithm 2.

    The mean over keys of the marked distribution is the model's own only as far as these sums are right.

    Args:
        near: about a coupling, (rows, blocks, m), at least 0.
        rho: what it sums to over columns, (rows, blocks).
    """
    share = 1 / near.shape[2]
    near = near * np.minimum(1, rho / np.maximum(near.sum(axis=2), TINY))[:, :, None]
    near = near * np.minimum(1, share / np.maximum(near.sum(axis=1), TINY))[:, None, :]
    of_blocks = np.maximum(rho - near.sum(axis=2), 0)
    of_columns = np.maximum(share - near.sum(axis=1), 0)
    missing = np.maximum(of_blocks.sum(axis=1), TINY)[:, None, None]
    exact: Floats = near + of_blocks[:, :, None] * of_columns[:, None, :] / missing
    return exact


def divergences(couplings: Floats, rho: Floats) -> Floats:
    """``KL(pi || rho x uniform)`` of each row in nats, (rows,)."""
    independent = np.maximum(rho, TINY)[:, :, None] / couplings.shape[2]
    terms = couplings * np.log(np.maximum(couplings, TINY) / independent)
    total: Floats = np.maximum(terms.sum(axis=(1, 2)), 0)
    return total
