"""The weights that were applied, for whoever wants to check them."""

from __future__ import annotations

from collections.abc import Sequence


class WeightRecord:
    """Weights by prompt and generated prefix, as a tree: beams may branch, move and end.

    A node stands for a prompt and what was generated after it. Whoever follows the rows holds the node of
    each, so that a token costs O(1), whatever came before it; memory grows with the tokens, not their square.

    Args:
        prompts: of the rows.
        size: ids of the vocabulary: a token beyond it gets no bias, so it has no weight. ``None``: all do.
    """

    def __init__(self, prompts: Sequence[Sequence[int]], size: int | None = None) -> None:
        roots: dict[tuple[int, ...], int] = {}
        self._first = [roots.setdefault(tuple(prompt), len(roots)) for prompt in prompts]
        """Node of the empty text of each row; rows with equal prompts share one."""
        self._root_of = roots
        self._weights: list[float | None] = [None] * len(roots)
        self._parents = [-1] * len(roots)
        self._tokens = [-1] * len(roots)
        """The last token of each node's text; -1 of an empty one."""
        self._size = float("inf") if size is None else size
        self._children: dict[tuple[int, int], int] = {}
        self._latest: list[int] = []

    def root(self, prompt: Sequence[int]) -> int:
        """The node of the empty text after one of the prompts."""
        return self._root_of[tuple(prompt)]

    def child(self, node: int, token: int) -> int:
        """The node of a text that goes on with a token."""
        child = self._children.setdefault((node, token), len(self._weights))
        if child == len(self._weights):
            self._weights.append(None)
            self._parents.append(node)
            self._tokens.append(token)
        return child

    def add(self, nodes: Sequence[int], weights: Sequence[float | None]) -> None:
        """Keep the weights of the tokens that come after the texts of these nodes, one for each row."""
        for node, weight in zip(nodes, weights, strict=True):
            self._weights[node] = weight
        self._latest = list(nodes)

    def of_rows(self) -> list[list[float | None]]:
        """Weights of the tokens of each row of the last step, its last token (not yet seen) included."""
        return [self._up_to(node) for node in self._latest]

    def of(self, ids: Sequence[int], row: int) -> list[float | None]:
        """Weights of the tokens of a text generated after the prompt of a row of the first step.

        Raises:
            KeyError: it was not.
        """
        node, applied = self._first[row], []
        for number, token in enumerate(ids):
            applied.append(self._weights[node] if token < self._size else None)
            if number + 1 < len(ids):
                node = self._children[node, token]
        return applied

    def _up_to(self, node: int) -> list[float | None]:
        applied: list[float | None] = []
        follower = -1  # not seen yet
        while node >= 0:
            applied.append(self._weights[node] if follower < self._size else None)
            follower, node = self._tokens[node], self._parents[node]
        return applied[::-1]
