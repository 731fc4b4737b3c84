"""The interfaces of plugins, one class a file; each docstring holds an example to copy."""

from stela_core.interfaces.component import Component, Status
from stela_core.interfaces.encoder import Encoder, Message
from stela_core.interfaces.green_list import GreenList, HasherParameters
from stela_core.interfaces.hasher import ContextParameters, Hasher, Vocabulary
from stela_core.interfaces.readings import Reading, Readings
from stela_core.interfaces.sampling_hasher import SamplingHasher, SamplingParameters
from stela_core.interfaces.scheme import SamplingScheme, Scheme, SchemeParameters
from stela_core.interfaces.scorer import Score, Scorer, Signals
from stela_core.interfaces.tagger import Tag, Tagger
from stela_core.interfaces.weighting import Calibration, Context, Need, Positions, Table, Weighting
from stela_core.statistics.law import Bernoulli, Law
