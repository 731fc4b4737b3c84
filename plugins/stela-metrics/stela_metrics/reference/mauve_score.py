"""MAUVE of two sets of features (Pillutla et al., NeurIPS 2021), with add-1/2 counts (JMLR 2023, section 4).

Steps and settings are those of the package mauve-text 0.4.0: vectors of length 1; the principal directions
that hold 90 % of their variance; k-means with a tenth as many clusters as the smaller set has texts; 25
mixtures ``R = w P + (1 - w) Q`` of the cluster shares; ``exp(-5 KL)`` of P and Q to R as a curve; the mean of
the areas under it along both axes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

VARIANCE = 0.9
SCALE = 5.0
MIXTURES = 25


def clusters_of(one: Floats, other: Floats, seed: int = 0) -> tuple[Whole, Whole]:
    """The cluster of each text of two sets, (n,) and (m,), by features (n, d) and (m, d)."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import normalize

    together = normalize(np.concatenate([one, other]))
    parts = PCA(random_state=seed + 1).fit(together)
    held = np.cumsum(parts.explained_variance_ratio_)
    kept = int(np.argmax(held >= VARIANCE)) + 1
    count = max(2, round(min(len(one), len(other)) / 10))
    labels = KMeans(count, n_init=5, max_iter=500, random_state=seed).fit_predict(
        parts.transform(together)[:, :kept]
    )
    return labels[: len(one)].astype(np.int64), labels[len(one) :].astype(np.int64)


def mauve_of_counts(one: Whole, other: Whole) -> float:
    """MAUVE of two sets by how many texts of each every cluster has, (k,) and (k,)."""
    p, q = ((counts + 0.5) / (counts.sum() + 0.5 * len(counts)) for counts in (one, other))
    curve = [[0.0, np.inf]]
    for weight in np.linspace(1e-6, 1 - 1e-6, MIXTURES):
        mixed = weight * p + (1 - weight) * q
        curve.append([divergence(q, mixed), divergence(p, mixed)])
    x, y = np.exp(-SCALE * np.array([*curve, [np.inf, 0.0]])).T
    return float((area(x, y) + area(y, x)) / 2)


def divergence(p: Floats, q: Floats) -> float:
    """Kullback-Leibler divergence of ``q`` from ``p``, in nats; no share is 0."""
    return float((p * np.log(p / q)).sum())


def area(x: Floats, y: Floats) -> float:
    """Area under the curve through (x, y)."""
    from sklearn.metrics import auc

    order = np.lexsort((-y, x))  # of equal x the larger y first: the curve falls
    return float(auc(x[order], y[order]))
