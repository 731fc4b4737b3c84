"""Open and read a dataset with the library ``datasets``; its failures become errors of one line."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stela_core import MissingLibraryError, StelaError
from stela_corpora.hf_name import HfName

log = logging.getLogger(__name__)

SAVED = ("dataset_dict.json", "state.json")
"""What ``save_to_disk`` leaves in a folder."""


def open_splits(name: HfName) -> dict[str, Any]:
    """The splits of a dataset as streams (``IterableDataset``).

    Raises:
        StelaError: the library is missing, the Hub does not answer, or there is no such dataset or config.
    """
    try:
        import datasets
        from datasets.exceptions import DatasetNotFoundError
    except ImportError:
        raise MissingLibraryError("datasets", "a corpus hf:NAME", '"stela-core[datasets]"') from None
    loader = name.loader
    log.info("dataset %s is opened %s", name.label, "here" if name.is_local else "on the Hub, as a stream")
    try:
        with quiet():
            if loader is not None:
                return dict(datasets.load_dataset(loader, data_files=name.source, streaming=True))
            if name.is_local and any((Path(name.source) / file).exists() for file in SAVED):
                return _saved(name)
            return dict(datasets.load_dataset(name.source, name.config, streaming=True))
    except StelaError:
        raise
    except DatasetNotFoundError as error:
        if "gated" in str(error):
            raise StelaError(
                f'dataset "{name.source}" is gated.', "accept its terms, then: hf auth login"
            ) from None
        raise StelaError(
            f'there is no dataset "{name.source}" on the Hub that you may read.',
            "check the name at https://huggingface.co/datasets; a private one needs: hf auth login",
        ) from None
    except ConnectionError:
        raise StelaError(
            f'the Hugging Face Hub cannot be reached for dataset "{name.source}".',
            "check the network and HF_HUB_OFFLINE; a folder with a copy works, too: --corpus hf:FOLDER",
        ) from None
    except FileNotFoundError as error:
        raise StelaError(
            f'dataset "{name.label}" holds no data: {_brief(error)}.', "check the folder"
        ) from None
    except Exception as error:
        if isinstance(error, ValueError) and "config" in str(error).lower():
            raise _no_config(name, error) from None
        raise StelaError(
            f'dataset "{name.label}" cannot be opened: {_brief(error)}.', "check the name"
        ) from None


def reading(stream: Iterable[dict[str, Any]], label: str) -> Iterator[dict[str, Any]]:
    """The records of a stream.

    Raises:
        StelaError: the data are corrupt, or the network fails.
    """
    number = 0
    with quiet():
        try:
            for record in stream:
                number += 1
                yield record
        except StelaError:
            raise
        except Exception as error:
            # Readers of a dozen formats and of the network raise what they like.
            raise StelaError(
                f'dataset "{label}" cannot be read after {number} documents: {_brief(error)}.',
                "get the data again, or try later where they come from the Hub",
            ) from None


@contextmanager
def quiet() -> Iterator[None]:
    """Switch off the libraries' log and progress bars: the error says once what fails."""
    import datasets
    import huggingface_hub.utils as hub

    loggers = [logging.getLogger(name) for name in ("datasets", "huggingface_hub")]
    levels = [logger.level for logger in loggers]
    bars = [lib for lib in (datasets, hub) if not lib.are_progress_bars_disabled()]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    for library in bars:
        library.disable_progress_bars()
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        for library in bars:
            library.enable_progress_bars()


def _saved(name: HfName) -> dict[str, Any]:
    import datasets

    saved = datasets.load_from_disk(name.source)
    if name.config is not None:
        raise StelaError(f'"{name.source}" has no configurations.', "leave the part after the colon out")
    splits = saved if isinstance(saved, dict) else {"train": saved}
    return {str(split): data.to_iterable_dataset() for split, data in splits.items()}


def _no_config(name: HfName, error: Exception) -> StelaError:
    import datasets

    problem = f'has no configuration "{name.config}"' if name.config else "has several configurations"
    try:
        known = f"one of: {', '.join(datasets.get_dataset_config_names(name.source))}"
    except Exception:  # the Hub may have gone meanwhile; what it said before is worth more
        known = _brief(error)
    return StelaError(f'dataset "{name.source}" {problem}.', f"write hf:{name.source}:CONFIG, {known}")


def _brief(error: Exception) -> str:
    """The first line of a failure, at most 150 characters."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(".")[:150]
