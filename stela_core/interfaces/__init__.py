"""The interfaces of plugins, one class a file; each docstring holds an example to copy."""

from stela_core.interfaces.attack import Attack, Circumstances
from stela_core.interfaces.component import Component, Status
from stela_core.interfaces.executor import Executor, Job, Workers
from stela_core.interfaces.hasher import Hasher, HasherParameters
from stela_core.interfaces.metric import Marked, Metric, Sample, Unmarked, Value
from stela_core.interfaces.model import ModelSource
from stela_core.interfaces.preflight import Preflight
from stela_core.interfaces.scheme import Scheme, SchemeParameters
from stela_core.interfaces.scorer import Score, Scorer
from stela_core.interfaces.tagger import Tag, Tagger
from stela_core.interfaces.text_source import TextSource
from stela_core.interfaces.weighting import Calibration, Context, Need, Positions, Weighting

__all__ = [
    "Attack",
    "Calibration",
    "Circumstances",
    "Component",
    "Context",
    "Executor",
    "Hasher",
    "HasherParameters",
    "Job",
    "Marked",
    "Metric",
    "ModelSource",
    "Need",
    "Positions",
    "Preflight",
    "Sample",
    "Scheme",
    "SchemeParameters",
    "Score",
    "Scorer",
    "Status",
    "Tag",
    "Tagger",
    "TextSource",
    "Unmarked",
    "Value",
    "Weighting",
    "Workers",
]
