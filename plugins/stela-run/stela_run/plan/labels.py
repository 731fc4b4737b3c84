"""Names of schemes in tables and figures: short, and no two alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stela_core import StelaError
from stela_run.plan.schema import SchemeEntry

LEFT_OUT = frozenset({"name", "label", "parameters", "languages"})


def labels_of(entries: Sequence[SchemeEntry]) -> list[str]:
    """One label for each entry: its own, or its name with what not all entries of this name share.

    Raises:
        StelaError: two are alike.
    """
    facts = [_facts(entry) for entry in entries]
    labels = []
    for entry, own in zip(entries, facts, strict=True):
        others = [f for e, f in zip(entries, facts, strict=True) if e.name == entry.name]
        apart = [f"{key}={value}" for key, value in own.items() if any(o.get(key) != value for o in others)]
        labels.append(entry.label or " ".join([entry.name, *apart]))
    label, count = Counter(labels).most_common(1)[0]
    if count > 1:
        raise StelaError(f'{count} schemes are called "{label}".', "give each its own label")
    return labels


def _facts(entry: SchemeEntry) -> dict[str, object]:
    own = entry.model_dump(exclude_none=True, exclude=set(LEFT_OUT))
    return {**own, **entry.parameters}
