"""What renders pages: jinja2 with everything escaped, and SVG panels put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stela_core import MissingLibraryError
from stela_run.report.clean import clean

if TYPE_CHECKING:
    import jinja2


def page_environment(*packages: str) -> jinja2.Environment:
    """An environment for the templates of these packages; the first that has a name gives it.

    Raises:
        MissingLibraryError: jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise MissingLibraryError("jinja2", "a report", '"stela-core[run]"') from None
    from stela_run.report.inline import inline

    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.globals.update(inline=inline)
    return environment
