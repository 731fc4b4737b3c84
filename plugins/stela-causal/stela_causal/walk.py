"""Words and their tags from scores, from the end of a window on: what :mod:`.last_words` compiles."""

from __future__ import annotations

import numpy as np

from stela_causal.code_points import Ids
from stela_causal.layers import Flags, Reals

LAST, FIRST, ALL = range(3)
"""Characters of a word whose scores say its label."""


def walked(
    late: Reals,
    early: Reals,
    row_of: Ids,
    space: Flags,
    starts: Ids,
    ends: Ids,
    sure_from: Ids,
    out: Ids,
    labels_at: int,
    labels_only: bool,
) -> tuple[Ids, Ids]:
    """The last words of windows of what was laid out.

    A character is judged at the place ``delay`` after it, or at the window's last one where that comes first:
    whether a word begins there, and what its label is. A word never spans white space, and one begins after
    it. Scores are, by the characters that say a label:

    - ``LAST``: that a word begins (where positive), labels of a word that ends there;
    - ``FIRST``: that no word begins, labels of a word that begins: the highest decides;
    - ``ALL``: that a word goes on, that one begins, labels of its first character, and of any other one. The
      sum of a word's characters decides.

    Args:
        late: (n, kinds) scores of the character ``delay`` before each place.
        early: (rows, delay, kinds) scores of the characters 0 to ``delay - 1`` before a window's last place.
        row_of: (m,) the row in ``early`` of each window.
        space: (n,) white space and gaps.
        starts: (m,) first place of each window.
        ends: (m,) place after the last one.
        sure_from: (m,) first place of each window whose scores depend only on the window.
        out: (m, count, 3) to be filled from the last word on: begin, end, label.
        labels_at: ``LAST``, ``FIRST`` or ``ALL``.
        labels_only: do not look where the first of these words begins, if its label does not need it.

    Returns:
        (m,) the words of each window, and (m,) 1 where they depend on what stands before the window.
    """
    delay = early.shape[1]
    labels = (late.shape[1] - 2) // 2 if labels_at == ALL else late.shape[1] - 1
    sizes = np.zeros(len(starts), np.int64)
    unsure = np.zeros(len(starts), np.int64)
    for window in range(len(starts)):
        start, last, row = starts[window], ends[window] - 1, row_of[window]
        place, size = last, 0
        while place >= start and size < out.shape[1]:
            if space[place]:
                place -= 1
                continue
            word_end = place + 1
            begin_matters = labels_at != LAST or not labels_only or size + 1 < out.shape[1]
            while begin_matters and place > start and not space[place - 1]:
                here = min(place + delay, last)
                if here < sure_from[window]:
                    unsure[window] = 1
                    break
                scores = late[here] if here == place + delay else early[row, here - place]
                if labels_at == LAST:
                    begins = scores[0] > 0
                elif labels_at == FIRST:
                    begins = scores[1 + np.argmax(scores[1:])] > scores[0]
                else:
                    begins = scores[1] > scores[0]
                if begins:
                    break
                place -= 1
            first = word_end - 1 if labels_at == LAST else place
            here = min(first + delay, last)
            if unsure[window] or here < sure_from[window]:
                unsure[window] = 1
                break
            scores = late[here] if here == first + delay else early[row, here - first]
            if labels_at == ALL:
                total = scores[2 : 2 + labels].copy()
                for other in range(place + 1, word_end):
                    here = min(other + delay, last)
                    scores = late[here] if here == other + delay else early[row, here - other]
                    total += scores[2 + labels :]
                label = np.argmax(total)
            else:
                label = np.argmax(scores[1:])
            out[window, size, 0], out[window, size, 1], out[window, size, 2] = place, word_end, label
            size += 1
            place -= 1
        sizes[window] = size
    return sizes, unsure
