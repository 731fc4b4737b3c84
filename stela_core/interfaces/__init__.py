"""The interfaces of plugins, one class a file; each docstring holds an example to copy."""

from stela_core.interfaces.component import Component, Status
from stela_core.interfaces.executor import Executor, Job, Workers
from stela_core.interfaces.hasher import Hasher, HasherParameters
from stela_core.interfaces.model import ModelSource
from stela_core.interfaces.scheme import Scheme, SchemeParameters
from stela_core.interfaces.scorer import Score, Scorer
from stela_core.interfaces.table import Calibration, Table
from stela_core.interfaces.tagger import Tag, Tagger
from stela_core.interfaces.text_source import TextSource
from stela_core.interfaces.weighting import Context, Need, Positions, Weighting

__all__ = [
    "Calibration",
    "Component",
    "Context",
    "Executor",
    "Hasher",
    "HasherParameters",
    "Job",
    "ModelSource",
    "Need",
    "Positions",
    "Scheme",
    "SchemeParameters",
    "Score",
    "Scorer",
    "Status",
    "Table",
    "Tag",
    "Tagger",
    "TextSource",
    "Weighting",
    "Workers",
]
