"""Fills the text templates of this package."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(name: str, /, **values: Any) -> str:
    """The template `templates/NAME.j2` with the values; a value that it lacks is a bug of ours and raises."""
    return _environment().get_template(f"{name}.j2").render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("compiler.emit", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the templates are Markdown, Python and TOML
    )
    environment.filters |= {"cell": cell, "line": line}
    return environment


def cell(text: Any) -> str:
    """Text for a cell of a Markdown table."""
    return line(text).replace("|", "\\|")


def line(text: Any) -> str:
    """Text on one line."""
    return " ".join(str(text).split())
