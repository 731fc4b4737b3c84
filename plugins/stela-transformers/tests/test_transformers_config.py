"""``watermarking_config``: transformers' own way to mark text, with a profile."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from stela_testing.texts import ENGLISH
from tokenizers import Tokenizer
from transformers import GenerationConfig, LogitsProcessorList

import stela_core as stela
from stela_core.interfaces.logits import LanguageModel

pytestmark = pytest.mark.slow

KEY = 0x0123456789ABCDEF
TOKENS = 40


@pytest.fixture(scope="module")
def tiny(registry: stela.Registry) -> LanguageModel:
    return stela.load_model("tiny-small", registry=registry)


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, stela.Watermark]:
    new: dict[str, Any] = {"model": "tiny-small", "tagger": "penn", "key": KEY, "registry": registry}
    return {scheme: stela.create(scheme, **new) for scheme in ("stela", "kgw", "morphmark", "sweet")}


def texts(tiny: LanguageModel, **arguments: Any) -> list[list[int]]:
    model, tokenizer = tiny
    inputs = tokenizer(
        [ENGLISH, ENGLISH[:20]], return_tensors="pt", padding=True, return_token_type_ids=False
    )
    torch.manual_seed(3)
    out = model.generate(**inputs, max_new_tokens=TOKENS, **arguments)
    found: list[list[int]] = out[:, inputs["input_ids"].shape[1] :].tolist()
    return found


SAMPLED = {"do_sample": True, "top_k": 0, "top_p": 1.0, "temperature": 1.0}


@pytest.mark.deep(keep=["how0-stela", "how1-kgw", "how2-morphmark"])
@pytest.mark.parametrize("scheme", ["stela", "kgw", "morphmark"])
@pytest.mark.parametrize("how", [SAMPLED, {"do_sample": False}, {"do_sample": False, "num_beams": 2}])
def test_texts_equal_those_of_the_processor(
    tiny: LanguageModel, marks: dict[str, stela.Watermark], scheme: str, how: dict[str, Any]
) -> None:
    mark = marks[scheme]
    by_processor = texts(tiny, **how, logits_processor=[mark.logits_processor(tiny.tokenizer)])
    by_config = texts(tiny, **how, watermarking_config=mark.watermarking_config(tiny.tokenizer))
    assert by_config == by_processor
    assert by_config != texts(tiny, **how)


def test_a_configuration_is_kept_and_copied(tiny: LanguageModel, marks: dict[str, stela.Watermark]) -> None:
    """Each call of generate has a processor of its own; a copy marks alike."""
    config = marks["stela"].watermarking_config()
    expected = texts(tiny, **SAMPLED, watermarking_config=config)
    kept = GenerationConfig(**SAMPLED, max_new_tokens=TOKENS, watermarking_config=config, pad_token_id=1)
    for one in (kept, copy.deepcopy(kept), copy.copy(kept)):
        inputs = tiny.tokenizer(
            [ENGLISH, ENGLISH[:20]], return_tensors="pt", padding=True, return_token_type_ids=False
        )
        torch.manual_seed(3)
        out = tiny.model.generate(**inputs, generation_config=one)  # type: ignore[operator]
        assert out[:, inputs["input_ids"].shape[1] :].tolist() == expected
    model = copy.deepcopy(tiny.model)
    model.generation_config = kept
    assert texts(LanguageModel(model, tiny.tokenizer)) == expected
    first, second = (config.construct_processor(4096, "cpu") for _ in range(2))
    assert first is not second


def test_as_json_it_names_the_profile_and_not_the_key(
    tmp_path: Path, marks: dict[str, stela.Watermark]
) -> None:
    config = marks["kgw"].watermarking_config()
    kept = GenerationConfig(watermarking_config=config)
    config.to_json_file(tmp_path / "mark.json")
    saved = (tmp_path / "mark.json").read_text()
    named = json.loads(saved)["stela_profile"]
    assert named["scheme"] == "kgw"
    assert named["key_id"] == marks["kgw"].profile.hasher.key_id
    assert config.to_dict() == dict(config) == json.loads(saved)
    other = GenerationConfig(watermarking_config=marks["stela"].watermarking_config())
    assert kept == copy.deepcopy(kept) != other
    assert hash(kept) != hash(other)
    assert named["key_id"] in repr(kept)
    written = [saved, repr(kept), repr(config), config.to_json_string(), str(dict(config)), str(hash(kept))]
    assert not [text for text in written if f"{KEY:016x}" in text or str(KEY) in text]
    with pytest.raises(TypeError, match="a profile cannot be changed"):
        config.update(bias=3)


LOADED = """
import sys
from transformers import AutoModelForCausalLM, GenerationConfig, pipeline
folder = sys.argv[1]
assert GenerationConfig.from_pretrained(folder).watermarking_config is None
assert AutoModelForCausalLM.from_pretrained(folder).generation_config.top_k == 7
made = pipeline("text-generation", model=folder)("The history of the", max_new_tokens=4)
assert not [name for name in sys.modules if name.partition(".")[0].startswith("stela")]
print(len(made[0]["generated_text"]))
"""


def save(tiny: LanguageModel, marks: dict[str, stela.Watermark], folder: Path) -> Any:
    """A model that marks, saved with one warning, which points at the line that saves."""
    model = copy.deepcopy(tiny.model)
    mark = marks["kgw"]
    model.generation_config.watermarking_config = mark.watermarking_config(tiny.tokenizer)
    model.generation_config.do_sample, model.generation_config.top_k = True, 7
    with pytest.warns(UserWarning, match=r"kgw.*is not saved.*marks nothing.*Give it again") as warned:
        model.save_pretrained(folder)
    assert [Path(one.filename).name for one in warned] == [Path(__file__).name]
    return model


def test_a_saved_model_does_not_name_the_mark(
    tiny: LanguageModel, marks: dict[str, stela.Watermark], tmp_path: Path
) -> None:
    """Where it did, from_pretrained failed."""
    model = save(tiny, marks, tmp_path)
    assert GenerationConfig.from_pretrained(tmp_path).watermarking_config is None
    saved = (tmp_path / "generation_config.json").read_text()
    assert json.loads(saved).get("watermarking_config") is None
    with pytest.warns(UserWarning, match="is not saved"):
        again = json.loads(model.generation_config.to_json_string())
    assert GenerationConfig(**again).top_k == 7
    # The saved one goes on marking.
    assert texts(LanguageModel(model, tiny.tokenizer)) != texts(tiny, do_sample=True, top_k=7)


@pytest.mark.deep(stand_in="test_a_saved_model_does_not_name_the_mark")
def test_a_saved_model_is_loaded_where_this_project_is_not(
    tiny: LanguageModel, marks: dict[str, stela.Watermark], tmp_path: Path
) -> None:
    save(tiny, marks, tmp_path)
    tiny.tokenizer.save_pretrained(tmp_path)
    loaded = subprocess.run(  # as on a machine without this project: -I reads no PYTHONPATH
        [sys.executable, "-I", "-c", LOADED, str(tmp_path)], capture_output=True, text=True
    )
    assert loaded.returncode == 0, loaded.stderr[-2000:]
    assert int(loaded.stdout) > len("The history of the")


def test_what_to_do_with_a_folder_that_was_saved_with_the_mark(
    tiny: LanguageModel, registry: stela.Registry, tmp_path: Path
) -> None:
    tiny.model.save_pretrained(tmp_path)
    tiny.tokenizer.save_pretrained(tmp_path)
    saved = {"watermarking_config": {"stela_profile": {"scheme": "kgw"}}}
    (tmp_path / "generation_config.json").write_text(json.dumps(saved))
    with pytest.raises(stela.StelaError, match=r'take "watermarking_config" out'):
        stela.load_model(str(tmp_path), registry=registry)


def test_refused_where_the_logits_are_read_or_the_tokenizer_is_another(
    marks: dict[str, stela.Watermark], tokenizer: Tokenizer
) -> None:
    with pytest.raises(stela.StelaError, match=r"temperature and top-k.*logits_processor"):
        marks["sweet"].watermarking_config()
    with pytest.raises(stela.StelaError, match="wrong tokenizer"):
        marks["kgw"].watermarking_config(tokenizer)


def test_continuous_batching_is_refused(tiny: LanguageModel, marks: dict[str, stela.Watermark]) -> None:
    """Its processors are handed rows of no known text; a step there would mark nothing that is found."""
    config = GenerationConfig(
        max_new_tokens=2, do_sample=True, watermarking_config=marks["kgw"].watermarking_config()
    )
    with pytest.raises(stela.StelaError, match="continuous batching does not tell"):
        tiny.model.generate_batch(inputs=[[5, 6]], generation_config=config)


@pytest.mark.skipif(transformers.__version__ < "5", reason="transformers 4 refuses the argument itself")
def test_a_processor_in_continuous_batching_is_refused_where_it_is_called(
    tiny: LanguageModel, marks: dict[str, stela.Watermark], monkeypatch: pytest.MonkeyPatch
) -> None:
    """transformers drops the argument without a word; who puts a processor in by force gets the line."""
    from transformers.generation.configuration_utils import ContinuousBatchingConfig

    processor = marks["kgw"].logits_processor(record=True)
    config = GenerationConfig(max_new_tokens=3, do_sample=True, eos_token_id=None, pad_token_id=0)
    # Without a size its cache takes what memory there is.
    small = ContinuousBatchingConfig(num_blocks=8, max_batch_tokens=64)
    arguments: dict[str, Any] = {
        "inputs": [[5, 6], [7]],
        "generation_config": config,
        "continuous_batching_config": small,
    }
    ignored = tiny.model.generate_batch(**arguments, logits_processor=LogitsProcessorList([processor]))
    assert {len(one.generated_tokens) for one in ignored.values()} == {3}
    with pytest.raises(RuntimeError):  # it has not run
        processor.weights_of([5])
    monkeypatch.setattr(tiny.model, "_get_logits_processor", lambda config: LogitsProcessorList([processor]))
    refused = tiny.model.generate_batch(**arguments)
    assert len(refused) == 2
    for one in refused.values():
        assert "continuous batching does not tell" in one.error
        assert one.generated_tokens == []
