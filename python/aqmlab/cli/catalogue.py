"""`aqmlab list`, `aqmlab explain`, `aqmlab schema`: what there is."""

from __future__ import annotations

import json

import click

from aqmlab import _core
from aqmlab.terminal.spelling import nearest


@click.command("list")
def list_names() -> None:
    """List queue disciplines, host profiles, traffic models and experiments.

    \b
    Examples:
      aqmlab list
      aqmlab explain ared          more about one queue discipline
    """
    from aqmlab.reproduce import experiment

    for title, names in (
        ("Queue disciplines (aqmlab explain NAME)", _core.scheme_names()),
        ("Host profiles", _core.profile_names()),
        ("Traffic models", _traffic_models()),
        ("Experiments (aqmlab reproduce NAME)", experiment.names()),
    ):
        click.echo(click.style(title, bold=True))
        for name in names:
            click.echo(f"  {name}")


def _traffic_models() -> list[str]:
    models = json.loads(_core.json_schema())["$defs"]["UserModel"]["oneOf"]
    return [model["properties"]["model"]["const"] for model in models]


@click.command
@click.argument("scheme", metavar="SCHEME")
def explain(scheme: str) -> None:
    """Explain a queue discipline: what it does, its source, its parameters with units and defaults.

    \b
    Examples:
      aqmlab explain pi
      aqmlab explain ared | less
      aqmlab explain my_red.py:MyRed
    """
    if ":" in scheme:
        from aqmlab.schemes.trial import known as registered

        click.echo(_core.explain(registered(scheme)))
        return
    known = _core.scheme_names()
    others = {
        **dict.fromkeys(_core.profile_names(), "a host profile, explained in docs/tcp.md"),
        **dict.fromkeys(_traffic_models(), "a traffic model, explained in docs/scenario.md"),
    }
    if scheme in others:
        raise click.UsageError(f"{scheme} is {others[scheme]}; legal: a queue discipline of aqmlab list")
    if scheme not in known:
        raise click.UsageError(
            f'no scheme is called "{scheme}"; legal: {", ".join(known)}{nearest(scheme, known)}'
        )
    click.echo(_core.explain(scheme))


@click.command
@click.argument("scheme", metavar="[NAME|FILE.py:CLASS|LIBRARY.so:SYMBOL]", required=False)
def schema(scheme: str | None) -> None:
    """Print the JSON Schema of a scenario, for editors that check and complete TOML.

    With the name of a queue discipline, or your own, print the schema of its table: the parameters with
    meaning, type, default and range.

    \b
    Examples:
      aqmlab schema > scenario.schema.json
      aqmlab schema red
      aqmlab schema my_red.py:MyRed
    """
    from aqmlab.schemes.described import schema_of_scenarios, schema_of_scheme

    printed = schema_of_scenarios() if scheme is None else schema_of_scheme(scheme)
    click.echo(json.dumps(printed, indent=2, ensure_ascii=False))
