"""Cells of an experiment: generate, attack, detect, measure, store.

From the plan to the files that the records and the report are made of:

- ``queues``: what is yet to be done of a plan, as pieces of work; what comes back goes to the ``store``.
- ``job``: a worker of an executor does one piece after the other on its ``bench``.
- The pieces: ``generating`` (a pilot, or a shard's texts), ``shard_test`` (a shard's texts are cut, attacked
  and tested), ``measuring`` (metrics, once all shards of a cell are tested: on its ``cell_texts``).
- ``results`` and ``outcome``: what each of them finds, as its ``cell_file`` holds it.
"""
