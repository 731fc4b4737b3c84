"""The weights that were applied, for whoever wants to check them."""

from __future__ import annotations

from collections.abc import Sequence


class WeightRecord:
    """Weights by prompt and generated prefix, as a tree: beams may branch, move and end.

    Memory grows with the number of tokens generated, not with its square.
    """

    def __init__(self, prompts: Sequence[Sequence[int]]) -> None:
        roots: dict[tuple[int, ...], int] = {}
        self._first = [roots.setdefault(tuple(prompt), len(roots)) for prompt in prompts]
        """Node of the empty text of each row; rows with equal prompts share one."""
        self._root_of = roots
        self._roots = self._first
        """The same of the rows of the next step."""
        self._before = self._first
        """And of the last one."""
        self._weights: list[float | None] = [None] * len(roots)
        self._children: dict[tuple[int, int], int] = {}
        self._rows: Sequence[Sequence[int]] = ()
        self._nodes: list[int] = []

    def add(self, rows: Sequence[Sequence[int]], weights: Sequence[float | None]) -> None:
        """Keep the weights of the tokens that come after ``rows`` of generated ids."""
        nodes = [self._node_of(row, root) for row, root in zip(rows, self._roots, strict=True)]
        for node, weight in zip(nodes, weights, strict=True):
            self._weights[node] = weight
        self._rows, self._nodes, self._before = rows, nodes, self._roots
        self._roots = self._first

    def change_rows(self, prompts: Sequence[Sequence[int]]) -> None:
        """Say that the rows of the next step have these prompts, of the known ones, in this order."""
        self._roots = [self._root_of[tuple(prompt)] for prompt in prompts]

    def of_rows(self) -> list[list[float | None]]:
        """Weights of the tokens of each row of the last step, its last token (not yet seen) included."""
        rows = zip(self._rows, self._nodes, self._before, strict=True)
        return [[*self._path(row, root), self._weights[node]] for row, node, root in rows]

    def of(self, ids: Sequence[int], row: int) -> list[float | None]:
        """Weights of the tokens of a text generated after the prompt of a row of the first step.

        Raises:
            KeyError: it was not.
        """
        return self._path(ids, self._first[row])

    def _path(self, ids: Sequence[int], node: int) -> list[float | None]:
        applied: list[float | None] = []
        for number, token in enumerate(ids):
            applied.append(self._weights[node])
            if number + 1 < len(ids):
                node = self._children[node, token]
        return applied

    def _node_of(self, row: Sequence[int], root: int) -> int:
        if row:
            # Most often a row goes on from one of the last step: no walk from the root.
            for before, node, same in zip(self._rows, self._nodes, self._before, strict=True):
                if same == root and before == row[:-1]:
                    return self._child(node, row[-1])
        node = root
        for token in row:
            node = self._child(node, token)
        return node

    def _child(self, node: int, token: int) -> int:
        child = self._children.setdefault((node, token), len(self._weights))
        if child == len(self._weights):
            self._weights.append(None)
        return child
