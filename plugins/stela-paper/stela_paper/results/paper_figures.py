"""What the STELA paper reports (Park et al., ACL 2026), to compare with what is measured here."""

from __future__ import annotations

from stela_paper.results.grids import Rows

SCHEMES = ("KGW", "SWEET", "EWD", "MorphMark", "STELA")

DETECTION = {
    "Llama-3.2-1B": (
        (".950 / .963", ".962 / .963", ".906 / .932"),
        (".850 / .906", ".872 / .910", ".862 / .912"),
        (".870 / .916", ".850 / .902", ".896 / .928"),
        (".926 / .943", ".936 / .945", ".826 / .893"),
        (".938 / .953", ".976 / .972", ".950 / .954"),
    ),
    "Qwen3-0.6B": (
        (".958 / .957", ".992 / .990", ".902 / .934"),
        (".968 / .967", ".990 / .990", ".914 / .931"),
        (".986 / .978", ".992 / .990", ".914 / .934"),
        (".870 / .942", ".976 / .978", ".778 / .892"),
        (".978 / .966", ".996 / .994", ".950 / .950"),
    ),
    "HyperCLOVAX-SEED-0.5B": (
        (".978 / .970", ".928 / .939", ".948 / .955"),
        (".962 / .964", ".850 / .904", ".916 / .935"),
        (".962 / .964", ".858 / .908", ".952 / .957"),
        (".910 / .934", ".756 / .870", ".766 / .875"),
        (".988 / .975", ".932 / .942", ".960 / .960"),
    ),
}
"""TPR at 5 % FPR / best F1 in English, Chinese and Korean, by model and scheme; delta 2, MorphMark 1.3."""

UNMARKED = {
    "English": ".25, 1.12 (KGW); .35, 1.17 (STELA)",
    "Chinese": ".24, 2.22; .25, 2.19",
    "Korean": ".03, 2.95; -.10, 3.02",
}
"""Mean and standard deviation of z of 500 unmarked texts of the model."""


def detection() -> Rows:
    """The paper's table of detection."""
    rows = []
    for model, of in DETECTION.items():
        for scheme, cells in zip(SCHEMES, of, strict=True):
            row = {"model": model, "tokens": "not stated", "scheme": scheme}
            for language, cell in zip(UNMARKED, cells, strict=True):
                rate, f1 = cell.split(" / ")
                row |= {f"{language}, TPR at 5 % FPR": rate, f"{language}, best F1": f1}
            rows.append(row)
    return rows


def averages() -> dict[str, float]:
    """Mean TPR at 5 % FPR of each scheme over the paper's models and languages."""
    return {
        scheme: sum(float(cell.split(" / ")[0]) for of in DETECTION.values() for cell in of[place])
        / (3 * len(DETECTION))
        for place, scheme in enumerate(SCHEMES)
    }


def unmarked() -> str:
    """The paper's mean and standard deviation of z of unmarked text, in words."""
    return "; ".join(f"{language} {numbers}" for language, numbers in UNMARKED.items())
