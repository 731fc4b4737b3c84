"""The interfaces of plugins, one class a file; each docstring holds an example to copy."""

from stela_core.interfaces.component import Component, Status
from stela_core.interfaces.executor import Executor, Job, Workers
from stela_core.interfaces.hasher import ContextParameters, Hasher, HasherParameters, Vocabulary
from stela_core.interfaces.law import Law
from stela_core.interfaces.model import ModelSource
from stela_core.interfaces.reader import Note, Reader, Text
from stela_core.interfaces.sampling import SamplingHasher, SamplingParameters
from stela_core.interfaces.scheme import SamplingScheme, Scheme, SchemeParameters
from stela_core.interfaces.scorer import Score, Scorer, Signals
from stela_core.interfaces.table import Calibration, Table
from stela_core.interfaces.tagger import Tag, Tagger
from stela_core.interfaces.text_source import TextSource
from stela_core.interfaces.weighting import Context, Need, Positions, Weighting

__all__ = [
    "Calibration",
    "Component",
    "Context",
    "ContextParameters",
    "Executor",
    "Hasher",
    "HasherParameters",
    "Job",
    "Law",
    "ModelSource",
    "Need",
    "Note",
    "Positions",
    "Reader",
    "SamplingHasher",
    "SamplingParameters",
    "SamplingScheme",
    "Scheme",
    "SchemeParameters",
    "Score",
    "Scorer",
    "Signals",
    "Status",
    "Table",
    "Tag",
    "Tagger",
    "Text",
    "TextSource",
    "Vocabulary",
    "Weighting",
    "Workers",
]
