"""The statistics themselves, by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stela_roc.scores import Floats


def points(marked: Floats, negatives: Floats, rates: Sequence[float]) -> Floats:
    """TPR at each false positive rate, AUC and best F1, (len(rates) + 2,).

    The TPR is the largest at thresholds whose FPR does not exceed the rate. F1 is at prevalence 1/2: the
    marked texts, all together, weigh as much as the negatives, however many there are of either.

    Args:
        marked: scores of marked texts.
        negatives: scores of all detections of unmarked texts.
        rates: in [0, 1).
    """
    from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

    truth = np.repeat([1, 0], [len(marked), len(negatives)])
    scores = np.concatenate([marked, negatives])
    # Points on a line between others are dropped by default, and one of them may be the one asked for.
    fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
    weights = np.repeat([1 / len(marked), 1 / len(negatives)], [len(marked), len(negatives)])
    precision, recall, _ = precision_recall_curve(truth, scores, sample_weight=weights)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    at_rates = [tpr[fpr <= rate].max() for rate in rates]
    # Sums of floats: 12 places are exact, and an AUC of 1 is 1.
    auc, best = round(float(roc_auc_score(truth, scores)), 12), round(float(np.nanmax(f1)), 12)
    return np.array([*at_rates, auc, best])
