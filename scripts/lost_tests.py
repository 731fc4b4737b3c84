"""Tests of an earlier revision that are not there any more.

    .venv/bin/python -m pytest --collect-only > before.txt    # on the earlier revision
    .venv/bin/python -m scripts.lost_tests before.txt

Moved files and renamed tests are known by MOVED, tests of what changed or went by REPLACED. A parameter that
became a turn of a loop counts as there if its test is there without parameters. Exit status 1: one is lost.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLD, NEW = "tests/test_quick.py::test_", "tests/test_tiers.py::test_"
RAY = "plugins/stela-ray/tests/test_"
CANONICAL = "tests/text/test_canonical_text.py::test_"
AROUND = "plugins/stela-detection/tests/"
HOSTILE = f"{AROUND}canonical/test_hostile.py::test_"
RUN = "plugins/stela-run/tests/"
PATTERNS = "plugins/stela-spacy/tests/test_script_patterns.py::test_"
PARITY = "plugins/stela-page/tests/test_parity.py::test_"
TAGS = f"{PARITY}no_tag_of_a_shipped_tagger_differs"
READ = "plugins/stela-documents/tests/test_read.py::test_"
ATTACKS = "plugins/stela-attacks/tests/"
ENGINES = ("llamacpp", "mlx", "sglang", "vllm")
METRICS = "plugins/stela-metrics/tests/"
PENN, UD = "plugins/stela-penn/tests/test_", "plugins/stela-ud/tests/test_shipped.py::test_"
TAGS_OF_SPACY = f"{PENN}penn.py::test_tags_are_those_of_spacy"
BITS = f"{PENN}penn.py::test_scores_have_the_same_bits_in_any_batch"
WINDOWS = f"{PENN}within.py::test_windows_of_all_prefixes"
FEATURES = f"{UD}features_are_ends_of_words"
SEGMENTER = "plugins/stela-ud/tests/test_shipped.py::TestSegmenter::test_"
MOVED = {
    "plugins/stela-spacy/tests/test_treebank.py": "plugins/stela-corpora/tests/test_treebank.py",
    # spaCy itself tags windows, in place of its network and rules in compiled passes.
    f"{PENN}penn.py::test_fast_path_gives_the_tags_of_spacy": TAGS_OF_SPACY,
    f"{PENN}penn.py::test_fast_path_gives_the_bits_of_spacy_in_any_batch": BITS,
    f"{PENN}within.py::test_special_cases_across_white_space_are_cut_by_spacy_alone": (
        f"{PENN}within.py::test_special_cases_across_white_space"
    ),
    f"{PENN}within.py::test_prose_in_small_caches": f"{PENN}within.py::test_prose_in_a_small_vocabulary",
    f"{UD}fast_path_gives_the_tags_of_spacy": f"{UD}tags_are_those_of_spacy",
    f"{SEGMENTER}last_words_are_the_last_words": f"{SEGMENTER}words_are_those_of_each_text_alone",
    "plugins/stela-spacy/tests/test_word_parts.py::test_parts": FEATURES,
    "tests/documents/test_read.py::test_the_core_alone_says": f"{READ}without_the_plugin_it_is_said",
    "tests/statistics/test_convolved.py::test_rows": f"{AROUND}power/test_power.py::test_rows",
    f"{CANONICAL}work_is_linear": f"{HOSTILE}work_is_linear",
    f"{CANONICAL}no_expression_is_quadratic": f"{HOSTILE}no_expression_is_quadratic",
    "tests/statistics/test_convolved.py": "plugins/stela-kernels/tests/test_added_coins.py",
    "plugins/stela-passages/tests/": f"{AROUND}search/",
    "plugins/stela-radioactivity/tests/": "plugins/stela-audit/tests/radioactivity/",
    "plugins/stela-c2pa/tests/": "plugins/stela-sign/tests/c2pa/",
    "plugins/stela-rotation/tests/": "plugins/stela-sign/tests/rotation/",
    "plugins/stela-corpora/tests/test_sample.py": "plugins/stela-corpora/tests/test_sampled.py",
    "plugins/stela-sample/tests/": "plugins/stela-corpora/tests/sample/",
    "plugins/stela-philox/tests/": "plugins/stela-kernels/tests/philox/",
    "plugins/stela-canonical/tests/": f"{AROUND}canonical/",
    "plugins/stela-power/tests/": f"{AROUND}power/",
    "plugins/stela-quickstart/tests/": f"{AROUND}quickstart/",
    "plugins/stela-search/tests/": f"{AROUND}search/",
    "plugins/stela-round-trip/tests/": "plugins/stela-transformers/tests/round_trip/",
    **{f"plugins/stela-{name}/tests/": f"plugins/stela-serving/tests/{name}/" for name in ENGINES},
    "plugins/stela-edits/tests/": f"{ATTACKS}edits/",
    "plugins/stela-paraphrase/tests/": f"{ATTACKS}paraphrase/",
    "plugins/stela-steal/tests/": f"{ATTACKS}steal/",
    "plugins/stela-wordnet/tests/": f"{ATTACKS}wordnet/",
    "plugins/stela-fidelity/tests/": f"{METRICS}fidelity/",
    "plugins/stela-judge/tests/": f"{METRICS}judge/",
    "plugins/stela-quality/tests/": f"{METRICS}quality/",
    "plugins/stela-reference/tests/": f"{METRICS}reference/",
    "plugins/stela-roc/tests/": f"{METRICS}roc/",
    "tests/builtin/test_executors.py": "plugins/stela-cli/tests/jobs/test_local.py",
    "tests/runner/": "plugins/stela-run/tests/",
    "tests/corpora/": "plugins/stela-corpora/tests/",
    "tests/documents/": "plugins/stela-documents/tests/",
    "tests/generation/": "plugins/stela-models/tests/generation/",
    "tests/reliability/": "plugins/stela-run/tests/reliability/",
    f"{RAY}ray.py::test_cluster_that_is_not_there": f"{RAY}no_cluster.py::test_cluster_that_is_not_there",
    f"{RAY}ray.py::test_importing_the_plugin": f"{RAY}no_cluster.py::test_importing_the_plugin",
    "tests/hashing/test_exponential.py": "plugins/stela-kernels/tests/philox/test_draws.py",
    "tests/statistics/test_intervals.py": "plugins/stela-run/tests/statistics/test_shares.py",
    f"{OLD}every_room_keeps_some": f"{NEW}every_room_is_in_make_quick",
    f"{OLD}make_quick_leaves_out_the_slow": f"{NEW}the_targets_run_their_tiers",
    "plugins/stela-tables/tests/test_gain_effects.py": "plugins/stela-models/tests/test_green_effects.py",
    f"{PATTERNS}what_is_written": TAGS,
    f"{PATTERNS}classes_are_written_out_as_python_knows_them": TAGS,
    f"{PATTERNS}what_is_not_known_is_refused": TAGS,
    "plugins/stela-spacy/tests/test_word_parts.py::test_names": TAGS,
    f"{PARITY}taggers_give_what_spacy_gives": f"{PARITY}taggers_give_what_python_gives",
    f"{OLD}a_property_that_asks_for_many_examples_gets_few": f"{NEW}a_property_gets_the_examples_of_its_tier",
}
"""Beginnings of tests' names, before and after; the first that fits counts."""
FILES = {
    (
        "tests/tables",
        "plugins/stela-tables/tests",
    ): "build count file known learn_table learning_sums page shipped slow_learning table treebank "
    "values weightings",
    ("tests/cli", "plugins/stela-tables/tests"): "lambda lambda_conllu lambda_merge",
    ("tests/models", "plugins/stela-models/tests"): "embeddings gains hub surrogate threads",
    ("tests/models", "tests"): "real_model",
    ("tests/insertion", "plugins/stela-transformers/tests"): "calls_of_generate early_ids marked_once record "
    "steps_in_turn transformers_config transformers_processor",
    ("plugins/stela-triton/tests", "plugins/stela-kernels/tests"): "triton_bias triton_rows",
    ("tests/kernels", "plugins/stela-kernels/tests"): "bias_paths buffers gpu many_keys rows "
    "to_device triton_bias triton_rows",
    ("tests/kernels", "plugins/stela-causal/tests"): "causal_convolution",
    ("tests/text", "plugins/stela-causal/tests"): "code_points",
    ("tests/text", f"{AROUND}canonical"): "canonical_text sentence_case",
    ("tests/detection", f"{AROUND}canonical"): "readings",
    ("tests/profile", "plugins/stela-sign/tests/rotation"): "profile_page publishing",
    ("tests/cli", "plugins/stela-run/tests/reliability"): "profile_report",
    ("tests/text", "plugins/stela-cli/tests"): "patterns",
    ("tests/statistics", f"{AROUND}power"): "power",
    ("tests/detection", f"{AROUND}power"): "expected_power",
    ("tests/detection", f"{AROUND}search"): "early_look passages scan",
    ("tests/profile", f"{AROUND}search"): "candidates",
    (
        "tests/text",
        f"{AROUND}quickstart",
    ): "checked_before kept_tokenizers late_tokenizer",
    ("tests/statistics", "plugins/stela-run/tests/statistics"): "bootstrap families roc",
    ("tests/hashing", "plugins/stela-kernels/tests/philox"): "mt19937",
    ("tests/statistics", "plugins/stela-kernels/tests/philox"): "exponential",
    ("tests/hashing", "plugins/stela-run/tests"): "draws",
    ("tests/detection", "plugins/stela-run/tests/null"): "null_check unmarked",
    ("plugins/stela-vllm/tests", "plugins/stela-serving/tests"): "asked",
    ("tests/insertion", "plugins/stela-serving/tests"): "persistent_batch requests requests_refused",
}
"""Files that moved, by the folders before and after, without ``test_`` and ``.py``."""
MOVED |= {
    f"{before}/test_{name}.py": f"{after}/test_{name}.py"
    for (before, after), files in FILES.items()
    for name in files.split()
}
MOVED["tests/cli/"] = "plugins/stela-cli/tests/"
"""After the files of that folder that moved elsewhere."""
BEFORE, PAYLOAD = "tests/registry/test_names_of_before.py::test_", "plugins/stela-payload/tests/test_"
CTB, KOREAN = "plugins/stela-ctb/tests/test_", "plugins/stela-sejong/tests/test_"
WINDOWS, WORDS = (f"plugins/stela-causal/tests/test_{one}.py::test_" for one in ("windows", "words"))
DEFINED = f"{WORDS}words_of_shipped_models_are_those_of_the_definition"
SCORED = f"{CTB}parts.py::test_scores_are_those_of_the_definition_beside_any_other_text"
BESIDE = f"{CTB}shipped.py::test_tags_are_the_same_beside_longer_texts"
WIDE = f"{CTB}parts.py::test_full_width_forms_stand_for_ascii_in_pairs"
REFUSED = f"{BEFORE}a_class_that_derives_from_it_is_refused_with_the_name_of_today"
REPLACED = {
    # Names of 0.2 are refused, in place of taken.
    f"{BEFORE}they_mark_and_detect": REFUSED,
    f"{BEFORE}laws_by_their_names_of_before": f"{BEFORE}a_name_of_the_api_says_where_it_is",
    f"{BEFORE}the_command_line_says_it_once_and_shows_it": REFUSED,
    # Triton's kernels were a distribution, and are installed with stela-kernels.
    "tests/kernels/test_gpu.py::test_without_the_distribution_a_hint_is_given_once": (
        "plugins/stela-kernels/tests/test_gpu.py::test_without_triton_nothing_is_said"
    ),
    # Reed-Solomon codes are in place of rings.
    f"{PAYLOAD}reading.py::test_best_message_of_all": (
        f"{PAYLOAD}decoding.py::test_two_digits_are_decoded_exactly"
    ),
    f"{PAYLOAD}several.py::test_other_messages_are_counted": (
        f"{PAYLOAD}errors.py::test_other_codewords_are_counted"
    ),
    f"{PAYLOAD}several.py::test_sets_and_their_numbers": f"{PAYLOAD}errors.py::test_expected_numbers",
    f"{PAYLOAD}several.py::test_as_much_is_shown_as_may_be": (
        f"{PAYLOAD}errors.py::test_every_set_of_places_can_forbid_a_message"
    ),
    # The report opens with its answer; a pilot sets what a scheme declares.
    f"{RUN}report/test_pairs.py::test_differences_come_first_on_the_page": (
        f"{RUN}report/test_pairs.py::test_the_answer_comes_first_and_tables_last"
    ),
    f"{RUN}test_compare.py::test_schemes_are_set_to_the_same_divergence": (
        f"{RUN}test_compare.py::test_schemes_are_set_to_the_same_surprisal"
    ),
    # spaCy's network and rules were run in compiled passes, and its special cases made once.
    f"{PENN}within.py::test_scores_have_the_bits_of_each_window_alone": BITS,
    f"{UD}fast_path_gives_the_bits_of_spacy_in_any_batch": f"{UD}scores_have_the_same_bits_in_any_batch",
    "plugins/stela-spacy/tests/test_network.py": BITS,
    "plugins/stela-spacy/tests/test_rule_words.py": WINDOWS,
    "plugins/stela-spacy/tests/test_rules_once.py": TAGS_OF_SPACY,
    "plugins/stela-spacy/tests/test_end_search.py": f"{PENN}within.py::test_no_run_is_cut_in_one",
    # Rises over splits are worked out, and not drawn.
    "plugins/stela-analysis/tests/test_gain.py::test_more_splits_change_little": (
        "plugins/stela-models/tests/test_green_effects.py::test_the_rise_is_right_to_four_ten_thousandths"
    ),
    "plugins/stela-analysis/tests/test_gain.py::test_a_bias_raises_what_is_green": (
        "plugins/stela-models/tests/test_green_effects.py::test_of_few_tokens_effects_are_exact"
    ),
    # Gains of languages are expected ones, of another page.
    "plugins/stela-paper/tests/test_languages_page.py::test_languages_stand_by_name_with_their_gain": (
        "plugins/stela-paper/tests/test_languages_page.py::test_languages_stand_by_name_without_a_gain_of_few_texts"
    ),
    # Networks of Chinese and Korean are stela-causal's; HanLP's way to the shipped pair is the only one.
    f"{CTB}causal.py::test_windows_of_all_prefixes": f"{WINDOWS}windows_of_all_prefixes",
    f"{CTB}causal.py::test_any_windows": f"{WINDOWS}any_windows",
    f"{CTB}causal.py::test_the_pass_gives_the_words": f"{WORDS}words_are_those_of_the_definition",
    f"{CTB}causal.py::test_places_depend_on_no_more": f"{WORDS}places_beyond_the_reach_change_nothing",
    f"{CTB}causal.py::test_shipped_pair_gives_the_words_and_tags_of_hanlp": DEFINED,
    f"{CTB}causal.py::test_most_windows_of_the_shipped": f"{CTB}causal.py::test_most_windows_share_the_pass",
    f"{CTB}parts.py::test_equal_scores_are_decided": f"{CTB}parts.py::test_of_equal_labels_the_first_counts",
    **{
        f"{CTB}parts.py::test_{one}": SCORED
        for one in (
            "convolution_is_the_sum_over_three_places",
            "a_word_has_the_tag_of_highest_mean_score",
            "network_gives_a_text_the_same_scores",
            "neighbours_of_a_short_text",
            "ids_of_characters_and_pairs",
            "ids_do_not_depend_on_the_batch",
        )
    },
    f"{CTB}parts.py::test_unsorted_pairs_are_refused": WIDE,
    f"{CTB}shipped.py::test_fast_path_gives": SCORED,
    f"{CTB}shipped.py::test_hanlp_in_batches": BESIDE,
    f"{CTB}shipped.py::test_scores_are_the_same_bits": BESIDE,
    f"{CTB}shipped.py::test_a_long_text_is_tagged_as_one": f"{CTB}parts.py::test_blocks_show_in_no_score",
    f"{CTB}user_models.py::test_without_a_library[numba]": f"{CTB}causal.py::test_says_that_numba_is_missing",
    f"{KOREAN}causal.py::test_windows_of_all_prefixes": f"{WINDOWS}windows_of_all_prefixes",
    f"{KOREAN}causal.py::test_any_windows": f"{WINDOWS}any_windows",
    f"{KOREAN}causal.py::test_tags_are_those_of_the_definition": f"{WORDS}words_are_those_of_the_definition",
    f"{KOREAN}causal.py::test_shipped_model_gives_the_tags": DEFINED,
    f"{KOREAN}causal.py::test_blocks_show_in_no_tag": f"{WINDOWS}blocks_show_in_no_tag",
    f"{KOREAN}causal.py::test_ends_of_texts_are_those_of_the_whole": f"{WINDOWS}any_windows",
    f"{KOREAN}causal.py::test_places_depend_on_no_more": f"{WORDS}places_beyond_the_reach_change_nothing",
    f"{KOREAN}causal.py::test_most_windows": f"{KOREAN}causal_shipped.py::test_most_windows_share_the_pass",
    f"{KOREAN}causal.py::test_model_is_read_as_it_was_written": f"{WORDS}a_damaged_model_is_told",
}
"""Beginnings of names of tests whose subject changed or went, and the test that says now what holds."""
MERGED = [
    "c2pa",
    "canonical",
    "edits",
    "fidelity",
    "judge",
    "llamacpp",
    "mlx",
    "paraphrase",
    "philox",
    "power",
    "quality",
    "quickstart",
    "radioactivity",
    "reference",
    "roc",
    "rotation",
    "round-trip",
    "sample",
    "search",
    "sglang",
    "steal",
    "vllm",
    "wordnet",
]
"""Distributions whose code lies in another one: tests of each distribution have fewer parameters."""
EACH = {
    "tests/test_readmes.py::test_commands_mark_and_find": "stela-{}",
    "tests/test_readmes.py::test_experiments_can_be_planned": "stela-{}",
    "tests/test_readmes.py::test_is_short_and_plain": "stela-{}",
    "tests/test_readmes.py::test_opens_with_one_sentence_and_says_how_to_install": "stela-{}",
    "tests/test_readmes.py::test_python_prints_what_the_readme_shows": "stela-{}",
    "tests/test_install_lines.py::test_pip_lines_of_a_page_install_from_wheels": "plugins/stela-{}/README.md",
}
REPLACED |= {f"{test}[{form.format(name)}]": test for test, form in EACH.items() for name in MERGED}
IMPORTED = {
    "plugins/stela-cli/tests/test_verbose.py::test_a_library_logs_under_its_own_name_and_prints_nothing",
    "tests/test_imports.py::test_a_house_imports_those_below_it",
}
REPLACED |= {f"{test}[stela_{name.replace('-', '_')}]": test for test in IMPORTED for name in MERGED}


def collected() -> list[str]:
    """Names of all tests as they are now."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider"]
    return subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


def names(lines: list[str]) -> set[str]:
    """Without warnings and counts, and without the name of the folder that the repository lies in."""
    tests = [line.strip() for line in lines if re.match(r"\S+\.py::", line)]
    tests = [test for test in tests if not test.endswith(".egg-info]")]  # what pip left, taken for a package
    return {re.sub(r"(tests/test_wheels\.py::\w+)\[[^-\]]*\]", r"\1", test) for test in tests}


def moved(test: str) -> str:
    """The test's name now, or that of the one in its place."""
    if one := replaced(test):
        return one
    for before, after in MOVED.items():
        if test.startswith(before):
            now = after + test.removeprefix(before)
            return replaced(now) or now
    return test


def replaced(test: str) -> str | None:
    """The test in the place of one that REPLACED knows."""
    return next((after for before, after in REPLACED.items() if test.startswith(before)), None)


def main(arguments: list[str]) -> int:
    """Print the lost ones by test."""
    before = names(Path(arguments[0]).read_text(encoding="utf-8").splitlines())
    now = names(collected())
    said: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    of_each, left = (Counter(test.partition("[")[0] for test in tests) for tests in (map(moved, before), now))
    in_place = set(REPLACED.values())
    for test in map(moved, before):
        whole = test.partition("[")[0]
        if test in in_place and left[whole]:
            said["another in its place"] += 1
        elif test in now:
            said["as it was"] += 1
        elif whole in now:
            said["a turn of a loop"] += 1
        elif left[whole] >= of_each[whole]:
            said["named anew, of no fewer parameters"] += 1
        else:
            lost[whole] += 1
    print(f"{len(before)} before, {len(now)} now: {dict(said)}, lost: {lost.total()}")
    for test, count in sorted(lost.items()):
        print(f"{count} {test}")
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
