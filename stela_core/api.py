"""All that a plugin may import beside ``stela_core`` (the interfaces) and ``stela_core.testing`` (its tests).

    from stela_core.api import mean_value, short_hash

What stands here keeps its name and its meaning; the modules behind it may change with any version. A name's
module is imported when the name is asked for: importing this one imports nothing else. A name is added in two
places, this table and ``api.pyi``, which type checkers read; a test holds them together.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

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
    "Vocabulary": "stela_core.interfaces.mark",
    "hookspec": "stela_core.hookspecs",
    # Messages: what goes into an error or to a terminal.
    "did_you_mean": "stela_core.errors",
    "one_line": "stela_core.printable",
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
    "OUTSIDE": "stela_core.text.code_points",
    "WHITE_SPACE": "stela_core.text.code_points",
    "backend_of": "stela_core.text.tokenizer",
    "code_points": "stela_core.text.code_points",
    "laid_out": "stela_core.text.code_points",
    "prefix_ends": "stela_core.text.prefix",
    "vocabulary_hash": "stela_core.text.vocabulary_hash",
    "window_of": "stela_core.text.windows",
    # Taggers: by the name that a user gives.
    "make_tagger": "stela_core.registry.tagger_spec",
    # Schemes: their parts and parameters, by name.
    "resolve_scheme": "stela_core.composition",
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
    # Taggers' networks: compiled layers that see a place and what stands before it.
    "AT_ONCE": "stela_core.kernels.causal_convolution",
    "Layer": "stela_core.kernels.causal_convolution",
    "TAPS": "stela_core.kernels.causal_convolution",
    "add_positive": "stela_core.kernels.causal_convolution",
    "affine": "stela_core.kernels.causal_convolution",
    "compiled": "stela_core.kernels.causal_convolution",
    "layer_of": "stela_core.kernels.causal_convolution",
    "residual": "stela_core.kernels.causal_convolution",
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
    # Profiles: made of settings, read, written.
    "Settings": "stela_core.profile.create",
    "create_profile": "stela_core.profile.create",
    "pack_members": "stela_core.profile.archive",
    "read_archive": "stela_core.profile.archive",
    "read_members": "stela_core.profile.archive",
    "digest_of": "stela_core.profile.own",
    "describe": "stela_core.parameters",
    "describe_all": "stela_core.parameters",
    "require_reproducible": "stela_core.profile.device",
    "Archive": "stela_core.profile.archive",
    "write_archive": "stela_core.profile.archive",
    "write_key_file": "stela_core.hashing.key_file",
    "write_secret": "stela_core.files.secret",
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


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(HOMES)
