"""Which texts of a pilot are found, by the detector that the experiment asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from stela_models.generation.generate import Generated

from stela_run.cells.bench import Bench
from stela_run.cells.results import KeyedText
from stela_run.cells.shard_test import ShardTest, ShardTester
from stela_run.plan.keys import Keys
from stela_run.plan.plan import NO_ATTACK, EvaluateCell, GenerateCell
from stela_run.plan.schema import Experiment, Part
from stela_run.plan.shards import Shard


def texts_found(
    bench: Bench,
    cell: GenerateCell,
    experiment: Experiment,
    texts: Sequence[Generated],
    delta: float,
    number: int,
) -> list[bool]:
    """Whether each text is found at the longest length: p at most ``tpr_at``; too short ones are left out.

    Args:
        bench: makes the mark.
        cell: whose entry names the whole scheme, with its evidence.
        experiment: says how texts are tested.
        texts: of one round of a pilot.
        delta: that marked them.
        number: of the round.
    """
    keys = Keys.of_cell(cell, experiment)
    label = f"pilot {number}"  # what is kept of one round is not taken for another's
    place = (cell.model, cell.language, cell.seed, label, cell.entry, cell.tagset)
    measured = EvaluateCell(cell.id, "", *place, Part(name=NO_ATTACK), "")
    marked = [KeyedText(**{**asdict(one), "key": f"{keys.of(one.prompt):016x}"}) for one in texts]
    test = ShardTest(measured, experiment, Shard(0, 0, len(marked)), delta, marked, {}, [])
    most = cell.entry.tpr_at
    if most is None:
        most = bench.watermark(cell, delta).profile.alpha
    tested = ShardTester(bench, test).marked(max(experiment.lengths))
    return [one.detection.p_value <= most for one in tested]
