"""Hugging Face datasets by the real library, from folders; the Hub is a local server that says no."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from stela_cli.main import run
from stela_corpora.hf_corpus import BUFFER, HfCorpus
from stela_corpora.hf_name import HfName, parse_hf_name
from stela_corpora.named import open_corpus
from stela_tables.file import read_table

from stela_core.errors import StelaError

pytestmark = pytest.mark.slow
datasets = pytest.importorskip("datasets")
PLUGIN = Path(__file__).parents[3] / "tests" / "plain_tagger.py"
TEXTS = [f"a b{'c' * (n % 3)} {n}" for n in range(60)]


@pytest.fixture(scope="module", autouse=True)
def _no_network() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("datasets.config.HF_HUB_OFFLINE", True)
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same texts as parquet, as JSON lines, as saved by ``save_to_disk``, and as two configurations."""
    home = tmp_path_factory.mktemp("data")
    data = datasets.Dataset.from_dict({"text": TEXTS, "n": range(60), "title": ["t"] * 60})
    for kind in ("parquet", "jsonl", "configs"):
        (home / kind).mkdir()
    data.to_parquet(home / "parquet" / "train.parquet")
    data.to_json(home / "jsonl" / "train.jsonl")
    datasets.DatasetDict({"train": data, "test": data.select(range(5))}).save_to_disk(home / "saved")
    for name, text in {"en": "a b", "ko": "c d"}.items():
        (home / "configs" / f"{name}.jsonl").write_text(json.dumps({"text": text}) + "\n")
    configs = "".join(f"- config_name: {name}\n  data_files: {name}.jsonl\n" for name in ("en", "ko"))
    (home / "configs" / "README.md").write_text(f"---\nconfigs:\n{configs}---\n")
    return home


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("parquet", "parquet"),
        ("jsonl", "jsonl"),
        ("saved", "saved"),
        ("saved@train", "saved@train"),
        ("jsonl:default@train", "jsonl/default@train"),
        ("parquet/train.parquet", "train"),
        ("jsonl/train.jsonl", "train"),
    ],
)
def test_every_kind_holds_the_same_texts(folder: Path, spec: str, name: str) -> None:
    corpus = open_corpus(f"hf:{folder / spec}")
    assert list(corpus) == TEXTS
    assert list(corpus) == TEXTS  # again
    assert (corpus.name, corpus.bad) == (name, 0)
    assert corpus.position == sum(map(len, TEXTS))


def test_columns_configurations_and_splits(folder: Path) -> None:
    assert list(open_corpus(f"hf:{folder / 'parquet'}", column="title")) == ["t"] * 60
    korean = open_corpus(f"hf:{folder / 'configs'}:ko")
    assert (korean.name, list(korean)) == ("configs/ko", ["c d"])
    assert list(open_corpus(f"hf:{folder / 'saved'}@test")) == TEXTS[:5]


@pytest.mark.parametrize(
    ("spec", "column", "message"),
    [
        ("parquet", "body", r'no column "body"\. hint: name one with --text-column: text, n, title$'),
        ("parquet", "n", r'column "n" .* holds int64, not strings\. hint: columns of strings: text, title;'),
        ("jsonl@test", "text", r'no split "test"\. hint: add @SPLIT, one of: train$'),
        ("configs", "text", r"has several configurations\. hint: write hf:.*:CONFIG, one of: en, ko$"),
        ("configs:zh", "text", r'no configuration "zh"\. hint: .* one of: en, ko$'),
        ("parquet/train.parquet:en", "text", r'is one file: it has no configuration "en"'),
        ("saved:en", "text", "has no configurations"),
        ("configs/README.md", "text", "is not a file of data"),
        ("nothing", "text", r'nothing" does not exist'),
        ("", "text", r"empty\" holds no data: The directory at .* doesn't contain any data files"),
    ],
)
def test_errors_say_what_there_is(folder: Path, spec: str, column: str, message: str) -> None:
    where = folder / spec if spec else folder / "configs" / "empty"
    if not spec:
        where.mkdir(exist_ok=True)
    with pytest.raises(StelaError, match=message) as error:
        open_corpus(f"hf:{where}", column=column)
    assert "\n" not in str(error.value)


def test_bad_documents_and_files(tmp_path: Path) -> None:
    file = tmp_path / "some.parquet"
    datasets.Dataset.from_dict({"text": ["a", None, "b"]}).to_parquet(file)
    with pytest.raises(StelaError, match=r'document 2 of dataset ".*some.parquet" has no text \(null\)'):
        list(open_corpus(f"hf:{file}"))
    skipping = open_corpus(f"hf:{file}", skip_bad=True)
    assert (list(skipping), skipping.bad) == (["a", "b"], 1)
    file.write_bytes(b"PAR1 and no more")
    with pytest.raises(
        StelaError, match=r"some\.parquet\" cannot be opened|read after 0 documents: .*magic bytes"
    ):
        list(open_corpus(f"hf:{file}"))
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "a"}\n{text\n')
    with pytest.raises(StelaError, match=r"broken\.jsonl\" cannot be .*JSON parse error"):
        list(open_corpus(f"hf:{broken}"))


def test_names() -> None:
    assert parse_hf_name("hf:imdb") == HfName("imdb", None, None, False)
    full = parse_hf_name("hf:wikimedia/wikipedia:20231101.en@train")
    assert full == HfName("wikimedia/wikipedia", "20231101.en", "train", False)
    assert full.corpus == "wikimedia/wikipedia/20231101.en@train"
    assert HfName("a/b", "c d:e", None, False).corpus == "a/b/c_d_e"
    for bad in ("hf:", "hf:a:", "hf:a@", "hf:@train", "hf:a b", "hf:a/b/c", "hf::x", "hf:\0"):
        with pytest.raises(StelaError, match="names no dataset"):
            parse_hf_name(bad)
    for missing in ("hf:./none", "hf:/none:en", "hf:none.jsonl", "hf:~/none-such"):
        with pytest.raises(StelaError, match="does not exist"):
            parse_hf_name(missing)


def test_samples(folder: Path, tmp_path: Path) -> None:
    exact = [list(open_corpus(f"hf:{folder / 'jsonl'}", documents=7, seed=s)) for s in (3, 3, 4)]
    assert exact[0] == exact[1] != exact[2]
    assert exact[0] == list(open_corpus(folder / "jsonl" / "train.jsonl", documents=7, seed=3))
    assert len(set(exact[0])) == 7
    assert exact[0] == [text for text in TEXTS if text in exact[0]]
    # As from the Hub: one pass, through a buffer.
    many = tmp_path / "many.jsonl"
    many.write_text("".join(json.dumps({"text": str(n)}) + "\n" for n in range(5 * BUFFER)))
    name = HfName(str(tmp_path), None, None, False)
    buffered = [list(HfCorpus(name, documents=9, seed=s)) for s in (3, 3, 4)]
    assert buffered[0] == buffered[1] != buffered[2]
    assert len(set(buffered[0])) == 9
    assert all(int(text) < BUFFER + 9 for text in buffered[0])  # read no further than it must
    assert len(list(HfCorpus(name, documents=9 * BUFFER))) == 5 * BUFFER


def test_build(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpora = ("--corpus", f"hf:{folder / 'parquet'}", "--corpus", folder / "jsonl" / "train.jsonl")
    build = ["lambda", "build", "--plugin", PLUGIN, "--tagger", "letters", *corpora, "--k", 2]
    for seed, workers, name in ((1, 1, "one"), (1, 2, "two"), (2, 1, "other")):
        options = ["--documents", 20, "--seed", seed, "--workers", workers, "-o", tmp_path / name]
        assert run([*map(str, build + options)]) == 0
        assert capsys.readouterr().err == ""
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (tmp_path / "one").read_bytes() != (tmp_path / "other").read_bytes()
    corpora_of = read_table(tmp_path / "one").corpora
    assert [(c.name, c.documents) for c in corpora_of] == [("parquet", 20), ("train", 20)]
    assert run([*map(str, [*build, "--seed", 2, "-o", tmp_path / "no"])]) == 2
    assert "--seed goes with --documents" in capsys.readouterr().err


def test_library_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(StelaError, match=r'needs datasets.* pip install "stela-core\[datasets\]"'):
        open_corpus("hf:imdb")


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    """A hub on this machine that has no dataset, and one whose terms nobody has accepted."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            gated = "gated" in self.path
            self.send_response(403 if gated else 404)
            self.send_header("X-Error-Code", "GatedRepo" if gated else "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("name", "offline", "message"),
    [
        ("hf:a/b", "1", 'the Hugging Face Hub cannot be reached for dataset "a/b". hint: check the network'),
        ("hf:a/b:en", "0", 'there is no dataset "a/b" on the Hub that you may read. hint: check the name'),
        ("hf:a/gated", "0", 'dataset "a/gated" is gated. hint: accept its terms, then: hf auth login'),
    ],
)
def test_hub_says_no(hub: str, name: str, offline: str, message: str, tmp_path: Path) -> None:
    """In a process of its own: the libraries read these variables once."""
    done = subprocess.run(
        [
            sys.executable, "-m", "stela_cli", "lambda", "build", "--plugin", PLUGIN, "--tagger", "letters",
            "--corpus", name, "--k", "2", "-o", tmp_path / "t",
        ],
        env={**os.environ, "HF_ENDPOINT": hub, "HF_HUB_OFFLINE": offline, "HF_HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"error: {message}")
