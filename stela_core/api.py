"""All that a plugin may import beside ``stela_core`` (the interfaces) and ``stela_core.testing`` (its tests).

    from stela_core.api import mean_value, short_hash

What stands here keeps its name and its meaning; the modules behind it may change with any version. A name's
module is imported when the name is asked for: importing this one imports nothing else. A name is added in two
places, the table and the imports below it, which a test holds together.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

HOMES = {
    # Interfaces: types in their methods' signatures, and what a plugin's own hooks are marked with.
    "Calibration": "stela_core.interfaces.table",
    "Composition": "stela_core.composition",
    "Context": "stela_core.interfaces.weighting",
    "Evidence": "stela_core.detection.evidence",
    "MaskSplit": "stela_core.kernels.split",
    "P_co": "stela_core.parameters",
    "Split": "stela_core.kernels.split",
    "Table": "stela_core.interfaces.table",
    "Vocabulary": "stela_core.interfaces.hasher",
    "hookspec": "stela_core.hookspecs",
    # Messages: what goes into an error or to a terminal.
    "did_you_mean": "stela_core.errors",
    "printable": "stela_core.printable",
    # Files: those of strangers, read with a bound; whether two are the same.
    "folder_hash": "stela_core.files.fingerprint",
    "parse_json": "stela_core.files.bounded",
    "Corpus": "stela_core.corpora.corpus",
    "read_bounded": "stela_core.files.bounded",
    "read_conllu": "stela_core.corpora.conllu_lines",
    "keep_file": "stela_core.files.kept",
    "kept_file": "stela_core.files.kept",
    "state_folder": "stela_core.files.kept",
    "require_free": "stela_core.files.write",
    "write_atomically": "stela_core.files.write",
    "short_hash": "stela_core.files.fingerprint",
    # Text: between token ids and characters.
    "TokenBytes": "stela_core.text.token_bytes",
    "backend_of": "stela_core.text.tokenizer",
    "prefix_ends": "stela_core.text.prefix",
    "vocabulary_hash": "stela_core.text.vocabulary_hash",
    "window_of": "stela_core.text.windows",
    # Taggers: by the name that a user gives.
    "make_tagger": "stela_core.registry.tagger_spec",
    # Tables: the two kinds that a weighting looks up.
    "CountWeighting": "stela_core.tables.weightings",
    "IndeterminacyTable": "stela_core.tables.table",
    "ValueTable": "stela_core.tables.values",
    "ValueWeighting": "stela_core.tables.weightings",
    # Hashing: the core's hasher, splits that are even inside clusters, the hash behind it, torch's generator.
    "BalancedHasher": "stela_core.builtin.balanced",
    "Clusters": "stela_core.hashing.clusters",
    "KeyedHasher": "stela_core.builtin.hashers",
    "compile_kept": "stela_core.kernels.compile_kept",
    "exponential_draws": "stela_core.hashing.exponential",
    "keyed_seeds": "stela_core.hashing.keys",
    "mix": "stela_core.hashing.colour",
    "mixed": "stela_core.kernels.torch_bias",
    "mixed_number": "stela_core.kernels.compiled_mix",
    "mt19937": "stela_core.hashing.mt19937",
    "nearness_draws": "stela_core.hashing.exponential",
    "seed_of": "stela_core.hashing.keys",
    # Insertion: arrays used again on a CPU; engines that show one text with its prompt; steps made ahead.
    "Buffers": "stela_core.kernels.buffers",
    "OneText": "stela_core.insertion.one_text",
    "StepsAhead": "stela_core.insertion.ahead",
    "ids_from_device": "stela_core.insertion.ahead",
    "to_device": "stela_core.kernels.to_device",
    # Servers: what their environment and requests say, and the marks of what they are writing.
    "MarkWish": "stela_core.serving.marks",
    "ServerMarks": "stela_core.serving.marks",
    "ServerRecord": "stela_core.serving.record",
    "ServerSettings": "stela_core.serving.settings",
    "profile_for": "stela_core.serving.asked",
    "samples_by_name": "stela_core.serving.profiles",
    # Scoring: the core's scorer, for those that test a text in other ways too.
    "GroupedParameters": "stela_core.builtin.scorers",
    "GroupedScorer": "stela_core.builtin.scorers",
    # Statistics: of green coins, and exact intervals.
    "clopper_pearson": "stela_core.statistics.intervals",
    "group_weights": "stela_core.statistics.grouping",
    "widened": "stela_core.statistics.intervals",
    "z_score": "stela_core.statistics.zscore",
    # Statistics over texts: bootstrap draws and their ends, rates of detection.
    "Counts": "stela_core.statistics.bootstrap",
    "Floats": "stela_core.statistics.bootstrap",
    "Indices": "stela_core.statistics.bootstrap",
    "Roc": "stela_core.statistics.roc",
    "Scores": "stela_core.statistics.roc",
    "counts_of": "stela_core.statistics.bootstrap",
    "draws": "stela_core.statistics.bootstrap",
    "ends": "stela_core.statistics.bootstrap",
    "scores_of": "stela_core.statistics.roc",
    "tells": "stela_core.statistics.roc",
    # Metrics: means over texts with their intervals.
    "mean_value": "stela_core.runner.intervals",
    # Models: found, loaded once, run over texts, and how sure they are.
    "LanguageModel": "stela_core.models.load",
    "ModelLogits": "stela_core.models.logits",
    "Models": "stela_core.models.loaded",
    "entropies": "stela_core.kernels.row_entropy",
    "expected_gain": "stela_core.tables.freedom",
    "gumbel_gain": "stela_core.tables.sampling_gain",
    "of_exponentials": "stela_core.tables.sampling_gain",
    "synthid_gain": "stela_core.tables.sampling_gain",
    "input_embeddings": "stela_core.models.embeddings",
    "load_tokenizer": "stela_core.models.load",
    "locate_model": "stela_core.models.hub",
    "is_own_process": "stela_core.libraries",
    "own_process": "stela_core.libraries",
    "require": "stela_core.libraries",
    "require_generation": "stela_core.models.load",
    "require_plain_config": "stela_core.models.hub",
    "spike_entropies": "stela_core.kernels.row_entropy",
    # Sampling: text generated as ``stela generate`` does it; draws that belong to one text.
    "OwnDraws": "stela_core.generation.own_draws",
    "Sampling": "stela_core.generation.generate",
    "draws_of": "stela_core.text.draws",
    "generate": "stela_core.generation.generate",
    # Profiles: made of settings, read, written, remembered as one's own.
    "Settings": "stela_core.profile.create",
    "create_profile": "stela_core.profile.create",
    "pack_members": "stela_core.profile.archive",
    "read_archive": "stela_core.profile.archive",
    "read_members": "stela_core.profile.archive",
    "digest_of": "stela_core.profile.own",
    "describe": "stela_core.parameters",
    "remember": "stela_core.profile.own",
    "require_reproducible": "stela_core.profile.device",
    "Archive": "stela_core.profile.archive",
    "write_archive": "stela_core.profile.archive",
    "write_key_file": "stela_core.hashing.key_file",
    # Commands: what those of a plugin share with the core's.
    "Problems": "stela_core.cli.problems",
    "allow_lenient_option": "stela_core.cli.common",
    "force_option": "stela_core.cli.common",
    "key_from": "stela_core.cli.common",
    "plugin_files": "stela_core.registry.plugin_files",
    "registry_of": "stela_core.cli.common",
    "report": "stela_core.cli.common",
    "one_text": "stela_core.cli.one_text",
    "say": "stela_core.cli.common",
    "sources_of": "stela_core.documents.folders",
    "texts_of": "stela_core.documents.read",
}
"""The module of each name."""

if TYPE_CHECKING:
    from stela_core.builtin.balanced import BalancedHasher as BalancedHasher
    from stela_core.builtin.hashers import KeyedHasher as KeyedHasher
    from stela_core.builtin.scorers import GroupedParameters as GroupedParameters
    from stela_core.builtin.scorers import GroupedScorer as GroupedScorer
    from stela_core.cli.common import allow_lenient_option as allow_lenient_option
    from stela_core.cli.common import force_option as force_option
    from stela_core.cli.common import key_from as key_from
    from stela_core.cli.common import registry_of as registry_of
    from stela_core.cli.common import report as report
    from stela_core.cli.common import say as say
    from stela_core.cli.one_text import one_text as one_text
    from stela_core.cli.problems import Problems as Problems
    from stela_core.composition import Composition as Composition
    from stela_core.corpora.conllu_lines import read_conllu as read_conllu
    from stela_core.corpora.corpus import Corpus as Corpus
    from stela_core.detection.evidence import Evidence as Evidence
    from stela_core.documents.folders import sources_of as sources_of
    from stela_core.documents.read import texts_of as texts_of
    from stela_core.errors import did_you_mean as did_you_mean
    from stela_core.files.bounded import parse_json as parse_json
    from stela_core.files.bounded import read_bounded as read_bounded
    from stela_core.files.fingerprint import folder_hash as folder_hash
    from stela_core.files.fingerprint import short_hash as short_hash
    from stela_core.files.kept import keep_file as keep_file
    from stela_core.files.kept import kept_file as kept_file
    from stela_core.files.kept import state_folder as state_folder
    from stela_core.files.write import require_free as require_free
    from stela_core.files.write import write_atomically as write_atomically
    from stela_core.generation.generate import Sampling as Sampling
    from stela_core.generation.generate import generate as generate
    from stela_core.generation.own_draws import OwnDraws as OwnDraws
    from stela_core.hashing.clusters import Clusters as Clusters
    from stela_core.hashing.colour import mix as mix
    from stela_core.hashing.exponential import exponential_draws as exponential_draws
    from stela_core.hashing.exponential import nearness_draws as nearness_draws
    from stela_core.hashing.key_file import write_key_file as write_key_file
    from stela_core.hashing.keys import keyed_seeds as keyed_seeds
    from stela_core.hashing.keys import seed_of as seed_of
    from stela_core.hashing.mt19937 import mt19937 as mt19937
    from stela_core.hookspecs import hookspec as hookspec
    from stela_core.insertion.ahead import StepsAhead as StepsAhead
    from stela_core.insertion.ahead import ids_from_device as ids_from_device
    from stela_core.insertion.one_text import OneText as OneText
    from stela_core.interfaces.hasher import Vocabulary as Vocabulary
    from stela_core.interfaces.table import Calibration as Calibration
    from stela_core.interfaces.table import Table as Table
    from stela_core.interfaces.weighting import Context as Context
    from stela_core.kernels.buffers import Buffers as Buffers
    from stela_core.kernels.compile_kept import compile_kept as compile_kept
    from stela_core.kernels.compiled_mix import mixed_number as mixed_number
    from stela_core.kernels.row_entropy import entropies as entropies
    from stela_core.kernels.row_entropy import spike_entropies as spike_entropies
    from stela_core.kernels.split import MaskSplit as MaskSplit
    from stela_core.kernels.split import Split as Split
    from stela_core.kernels.to_device import to_device as to_device
    from stela_core.kernels.torch_bias import mixed as mixed
    from stela_core.libraries import is_own_process as is_own_process
    from stela_core.libraries import own_process as own_process
    from stela_core.libraries import require as require
    from stela_core.models.embeddings import input_embeddings as input_embeddings
    from stela_core.models.hub import locate_model as locate_model
    from stela_core.models.hub import require_plain_config as require_plain_config
    from stela_core.models.load import LanguageModel as LanguageModel
    from stela_core.models.load import load_tokenizer as load_tokenizer
    from stela_core.models.load import require_generation as require_generation
    from stela_core.models.loaded import Models as Models
    from stela_core.models.logits import ModelLogits as ModelLogits
    from stela_core.parameters import P_co as P_co
    from stela_core.parameters import describe as describe
    from stela_core.printable import printable as printable
    from stela_core.profile.archive import Archive as Archive
    from stela_core.profile.archive import pack_members as pack_members
    from stela_core.profile.archive import read_archive as read_archive
    from stela_core.profile.archive import read_members as read_members
    from stela_core.profile.archive import write_archive as write_archive
    from stela_core.profile.create import Settings as Settings
    from stela_core.profile.create import create_profile as create_profile
    from stela_core.profile.device import require_reproducible as require_reproducible
    from stela_core.profile.own import digest_of as digest_of
    from stela_core.profile.own import remember as remember
    from stela_core.registry.plugin_files import plugin_files as plugin_files
    from stela_core.registry.tagger_spec import make_tagger as make_tagger
    from stela_core.runner.intervals import mean_value as mean_value
    from stela_core.serving.asked import profile_for as profile_for
    from stela_core.serving.marks import MarkWish as MarkWish
    from stela_core.serving.marks import ServerMarks as ServerMarks
    from stela_core.serving.profiles import samples_by_name as samples_by_name
    from stela_core.serving.record import ServerRecord as ServerRecord
    from stela_core.serving.settings import ServerSettings as ServerSettings
    from stela_core.statistics.bootstrap import Counts as Counts
    from stela_core.statistics.bootstrap import Floats as Floats
    from stela_core.statistics.bootstrap import Indices as Indices
    from stela_core.statistics.bootstrap import counts_of as counts_of
    from stela_core.statistics.bootstrap import draws as draws
    from stela_core.statistics.bootstrap import ends as ends
    from stela_core.statistics.grouping import group_weights as group_weights
    from stela_core.statistics.intervals import clopper_pearson as clopper_pearson
    from stela_core.statistics.intervals import widened as widened
    from stela_core.statistics.roc import Roc as Roc
    from stela_core.statistics.roc import Scores as Scores
    from stela_core.statistics.roc import scores_of as scores_of
    from stela_core.statistics.roc import tells as tells
    from stela_core.statistics.zscore import z_score as z_score
    from stela_core.tables.freedom import expected_gain as expected_gain
    from stela_core.tables.sampling_gain import gumbel_gain as gumbel_gain
    from stela_core.tables.sampling_gain import of_exponentials as of_exponentials
    from stela_core.tables.sampling_gain import synthid_gain as synthid_gain
    from stela_core.tables.table import IndeterminacyTable as IndeterminacyTable
    from stela_core.tables.values import ValueTable as ValueTable
    from stela_core.tables.weightings import CountWeighting as CountWeighting
    from stela_core.tables.weightings import ValueWeighting as ValueWeighting
    from stela_core.text.draws import draws_of as draws_of
    from stela_core.text.prefix import prefix_ends as prefix_ends
    from stela_core.text.token_bytes import TokenBytes as TokenBytes
    from stela_core.text.tokenizer import backend_of as backend_of
    from stela_core.text.vocabulary_hash import vocabulary_hash as vocabulary_hash
    from stela_core.text.windows import window_of as window_of
else:
    # Hidden from type checkers, to which it would say that any name is here.
    def __getattr__(name: str) -> Any:
        if name not in HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(HOMES)
