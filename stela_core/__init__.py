"""STELA: watermark the text of language models, and find the mark without any language model.

``create`` a profile or ``load`` one, give ``Watermark.logits_processor`` to ``model.generate``, test texts
with ``Watermark.detect``. Plugins subclass the interfaces and register them with ``hookimpl``.
"""

import logging

from stela_core.creation import NewWatermark, create
from stela_core.detection.attribution import Attribution, Tested
from stela_core.detection.evidence import TokenEvidence
from stela_core.detection.frame import to_frame
from stela_core.detection.result import Detection
from stela_core.errors import MissingLibraryError, StelaError
from stela_core.hookspecs import hookimpl
from stela_core.insertion.marker import Marker
from stela_core.insertion.requests import Requests
from stela_core.interfaces import (
    Bernoulli,
    Choice,
    Component,
    ContextParameters,
    Encoder,
    EncoderParameters,
    Executor,
    Exponential,
    GreenList,
    Hasher,
    HasherParameters,
    Job,
    Law,
    Mark,
    Message,
    ModelSource,
    Positions,
    Reader,
    SamplingHasher,
    SamplingParameters,
    SamplingScheme,
    Scheme,
    SchemeParameters,
    Score,
    ScoredTokens,
    Scorer,
    Signals,
    Status,
    Tag,
    Tagger,
    Text,
    TextSource,
    Weighting,
    Workers,
)
from stela_core.interfaces.logits import Surrogate
from stela_core.language_model import load_model
from stela_core.loading import load, load_all
from stela_core.parameters import Parameters
from stela_core.profile.candidates import Candidate, read_candidates
from stela_core.registry.components import Registry, create_registry
from stela_core.text.well_formed import require_well_formed
from stela_core.watermark import Watermark
from stela_core.watermarks import LeftOut, Watermarks

__all__ = [
    "Attribution",
    "Bernoulli",
    "Candidate",
    "Choice",
    "Component",
    "ContextParameters",
    "Detection",
    "Encoder",
    "EncoderParameters",
    "Executor",
    "Exponential",
    "GreenList",
    "Hasher",
    "HasherParameters",
    "Job",
    "Law",
    "LeftOut",
    "Mark",
    "Marker",
    "Message",
    "MissingLibraryError",
    "ModelSource",
    "NewWatermark",
    "Parameters",
    "Positions",
    "Reader",
    "Registry",
    "Requests",
    "SamplingHasher",
    "SamplingParameters",
    "SamplingScheme",
    "Scheme",
    "SchemeParameters",
    "Score",
    "ScoredTokens",
    "Scorer",
    "Signals",
    "Status",
    "StelaError",
    "Surrogate",
    "Tag",
    "Tagger",
    "Tested",
    "Text",
    "TextSource",
    "TokenEvidence",
    "Watermark",
    "Watermarks",
    "Weighting",
    "Workers",
    "create",
    "create_registry",
    "hookimpl",
    "load",
    "load_all",
    "load_model",
    "read_candidates",
    "require_well_formed",
    "to_frame",
]

# The user's own logging decides what is shown; without it nothing is.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    """Say where what left the core is by now."""
    from stela_core.registry.published import moved

    raise moved(name) or AttributeError(f"module {__name__!r} has no attribute {name!r}")
