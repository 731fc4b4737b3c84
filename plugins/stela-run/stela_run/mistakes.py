"""Everything that is wrong with an experiment, found before any work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel
from stela_cli.jobs.workers import make_executor
from stela_models import ModelSource
from stela_models.find import require_device, require_model

from stela_core import Registry, StelaError, Weighting
from stela_core.api import contained, parse_parameters, reason_of, require, resolve_scheme
from stela_run.attack import Attack
from stela_run.cells.marks import Marks
from stela_run.cost.knob import knob_of
from stela_run.metric import Metric
from stela_run.plan.defaults import with_key_per, with_metrics
from stela_run.plan.estimate import require_expectation
from stela_run.plan.labels import labels_of
from stela_run.plan.plan import NO_ATTACK, GenerateCell, languages_of, tagset_of, takes_part
from stela_run.plan.schema import Experiment, Part, SchemeEntry
from stela_run.plan.texts import read_texts
from stela_run.preflight import Preflight

P = TypeVar("P", bound=BaseModel)

REPORT_NEEDS = ("pyarrow", "jinja2", "matplotlib")


@dataclass
class Findings(Preflight):
    """What an experiment's check found; it is the preflight that attacks and metrics are given, too."""

    registry: Registry
    folder: Path | None
    marks: Marks
    mistakes: list[StelaError] = field(default_factory=list)
    _models: dict[str, StelaError | None] = field(default_factory=dict)

    def model(self, name: str, weights: bool = True) -> None:
        """Look for a model once."""
        if name not in self._models:
            self._models[name] = None
            try:
                note = require_model(self.registry, name, weights)
                if note is not None:
                    raise StelaError(f"{note}.", "fetch it while online, or name a folder that holds it")
            except StelaError as error:
                self._models[name] = error
        wrong = self._models[name]
        if wrong is not None:
            raise wrong

    def tagger(self, spec: str) -> None:
        """Construct it; the run itself uses the same one."""
        self.marks.tagger(spec)

    def device(self, name: str) -> None:
        """Make an empty tensor there."""
        require_device(name)

    def path(self, given: str) -> Path:
        """Find a file or folder."""
        path = Path(given) if self.folder is None else self.folder / given
        if not path.exists():
            raise StelaError(f'"{path}" does not exist.', "check the path; it starts at the data folder")
        return path

    def attempt(self, where: str, action: Callable[..., Any], *arguments: Any) -> bool:
        """Whether a call goes well; if not, what is wrong is kept, once."""
        try:
            with contained:
                action(*arguments)
            return True
        except StelaError as error:
            self.add(StelaError(f"{where}: {error.message}" if where else error.message, error.hint))
        except Exception as error:
            self.add(StelaError(f"{where}: {reason_of(error)}", "report it to the maker of the plugin"))
        return False

    def add(self, mistake: StelaError) -> None:
        """Keep a mistake, once."""
        if str(mistake) not in map(str, self.mistakes):
            self.mistakes.append(mistake)


def find_mistakes(registry: Registry, experiment: Experiment, folder: Path | None) -> Findings:
    """Check texts, schemes, taggers, tables, models, attacks, metrics, executor, devices and parameters.

    Each watermark is put together as its cells will; no language model is loaded and nothing is generated.

    Args:
        registry: the plugins.
        experiment: as read.
        folder: data folder that the paths in it are relative to.

    Returns:
        all mistakes.
    """
    findings = Findings(registry, folder, Marks(registry, folder))
    for library in REPORT_NEEDS:
        findings.attempt("", require, library, "stela run")
    for code, language in experiment.languages.items():
        findings.attempt("", read_texts, registry, code, language, folder, experiment.texts, experiment.skip)
    findings.attempt("", labels_of, experiment.schemes)
    for name in experiment.models:
        findings.attempt("", findings.model, name)
    if experiment.device is not None:
        findings.attempt("", require_device, experiment.device)
    _check_schemes(findings, experiment)
    for attack in experiment.attacks:
        if attack.name != NO_ATTACK:
            findings.attempt("", languages_of, registry, experiment, attack)
            findings.attempt("", _check_part, findings, Attack, "attack", attack)
    findings.attempt("", with_key_per, registry, experiment)
    for metric in with_metrics(registry, experiment).metrics:
        if findings.attempt("", _check_part, findings, Metric, "metric", metric):
            findings.attempt("", registry.get(Metric, metric.name).require_draws, experiment.top_p)
    part = experiment.executor
    findings.attempt("", partial(make_executor, registry, part.name, **part.parameters))
    return findings


def _check_part(findings: Findings, interface: type[Attack] | type[Metric], kind: str, part: Part) -> None:
    component = findings.registry.get(interface, part.name)
    owner = f'{kind} "{part.name}"'
    parameters = _parsed(findings, component.Parameters, part.parameters, owner)
    status = component.status()
    if not status.ok:
        raise StelaError(f"{owner} cannot run here.", status.hint)
    try:
        component(parameters).check(findings)
    except StelaError as error:
        raise StelaError(f"{owner}: {error.message}", error.hint) from None


def _parsed(findings: Findings, model: type[P], values: Mapping[str, Any], owner: str) -> P:
    """The parameters; every name that is not known is a separate mistake.

    Raises:
        StelaError: a name is not known, or a value is wrong.
    """
    unknown = sorted(values.keys() - model.model_fields.keys())
    if unknown:
        known = {name: value for name, value in values.items() if name in model.model_fields}
        each = [_wrong(model, some, owner) for some in [*({name: None} for name in unknown), known]]
        wrong = [one for one in each if one is not None]
        for one in wrong[:-1]:
            findings.add(one)
        raise wrong[-1]
    return parse_parameters(model, values, owner)


def _wrong(model: type[P], values: Mapping[str, Any], owner: str) -> StelaError | None:
    try:
        parse_parameters(model, values, owner)
    except StelaError as error:
        return error
    return None


def _check_schemes(findings: Findings, experiment: Experiment) -> None:
    """Put together the watermark of each scheme in each language, with the tokenizer of a model at hand."""
    model = _model_at_hand(findings, experiment)
    schemes = [entry for entry in experiment.schemes if _known(findings, entry, experiment.expected)]
    for entry in schemes:
        if model is None:
            continue
        for code in experiment.languages:
            if takes_part(experiment, entry, code):
                where = f'scheme "{entry.label or entry.name}" in {code}'
                findings.attempt(where, _compose, findings, experiment, model, entry, code)


def _known(findings: Findings, entry: SchemeEntry, expected: bool) -> bool:
    """Whether the scheme and its parts are installed, and it has parameters of these names."""

    def look() -> None:
        parts = resolve_scheme(findings.registry, entry.name)
        own = {**entry.parameters, **({} if entry.delta is None else {"delta": entry.delta})}
        of_the_hasher = parts.hasher_names(findings.registry)
        own = {name: value for name, value in own.items() if name not in of_the_hasher}
        _parsed(findings, parts.parameters, own, f'scheme "{entry.name}"')
        if entry.piloted:
            knob_of(findings.registry, entry)
        if expected:
            require_expectation(findings.registry, entry.name, entry.bits)
        if entry.surrogate is not None:
            _check_surrogate(findings, entry.surrogate, parts.evidence)

    return findings.attempt("", look)


def _check_surrogate(findings: Findings, name: str, evidence: type[Weighting]) -> None:
    where = f'weighting "{evidence.name}"'
    if "logits" not in evidence.needs:
        raise StelaError(f"{where} reads no model, so it takes no surrogate.", "take surrogate out")
    if not evidence.any_model:
        raise StelaError(
            f"{where} reads which tokens are likely: a surrogate cannot replace it.", "take surrogate out"
        )
    findings.model(name)


def _compose(findings: Findings, experiment: Experiment, model: str, entry: SchemeEntry, code: str) -> None:
    full = entry.model_copy(update={"calibration": entry.calibration or experiment.calibration})
    tagset = tagset_of(experiment, entry, code)
    findings.marks.watermark(GenerateCell(model, code, experiment.seeds[0], full, tagset, id=""))


def _model_at_hand(findings: Findings, experiment: Experiment) -> str | None:
    """The first model whose tokenizer is here; an alias if none of the experiment's is."""
    good = [name for name in experiment.models if findings.attempt("", _tokenizer, findings, name)]
    for name in [*good, *findings.registry.names(ModelSource)]:
        try:
            _tokenizer(findings, name)
            return name
        except StelaError:
            continue
    return None


def _tokenizer(findings: Findings, model: str) -> None:
    findings.model(model)
    findings.marks.tokenizer(model)
