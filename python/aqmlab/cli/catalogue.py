"""`aqmlab list`, `aqmlab explain`, `aqmlab schema`: what there is."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.markdown import Markdown

from aqmlab import _core
from aqmlab.catalogue import experiments


@click.command("list")
def list_names() -> None:
    r"""List queue disciplines, host profiles, traffic models and experiments.

    \b
    Examples:
      aqmlab list
      aqmlab explain ared          more about one queue discipline
    """
    for title, names in (
        ("Queue disciplines (aqmlab explain NAME)", _core.scheme_names()),
        ("Host profiles", _core.profile_names()),
        ("Traffic models", _core.model_names()),
        ("Experiments (aqmlab reproduce NAME)", experiments()),
    ):
        click.echo(click.style(title, bold=True))
        for name in names:
            click.echo(f"  {name}")


@click.command
@click.argument("scheme", metavar="SCHEME")
def explain(scheme: str) -> None:
    r"""Explain a queue discipline: what it does, its source, its parameters with units and defaults.

    \b
    Examples:
      aqmlab explain pi
      aqmlab explain ared | less
    """
    text = _core.explain(scheme)
    console = Console()
    console.print(Markdown(text) if console.is_terminal else text, markup=False, soft_wrap=True)


@click.command
def schema() -> None:
    r"""Print the JSON Schema of a scenario, for editors that check and complete TOML.

    \b
    Examples:
      aqmlab schema > scenario.schema.json
    """
    click.echo(json.dumps(json.loads(_core.json_schema()), indent=2, ensure_ascii=False))
