"""Pages in Markdown that are made of templates."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import jinja2

from aqmlab.papers.documents import Conclusion
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence


def render(template: str, **values: object) -> str:
    """The page that a template makes of values; one that the template does not get is an error."""
    return _environment().get_template(f"{template}.jinja").render(**values).rstrip() + "\n"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(  # noqa: S701 (Markdown, which nobody but us writes)
        loader=jinja2.FunctionLoader(
            lambda name: resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
        ),
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals["conclusions"] = [*map(str, Conclusion)]
    environment.filters["table"] = _table
    environment.filters["counted"] = counted
    return environment


def _table(rows: Sequence[Sequence[str]], *head: str) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
