"""`aqmlab list`, `aqmlab explain`, `aqmlab schema`: what there is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from aqmlab import _core
from aqmlab.terminal.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("list")
def list_names() -> None:
    """List queue disciplines, host profiles, traffic models and experiments.

    \b
    Examples:
      aqmlab list
      aqmlab explain ared          more about one of them
    """
    from aqmlab.papers import experiments

    for title, names in (
        ("Queue disciplines (aqmlab explain NAME)", _core.scheme_names()),
        ("Host profiles (aqmlab explain NAME)", _core.profile_names()),
        ("Traffic models (aqmlab explain NAME)", _traffic_models()),
        ("Experiments (aqmlab reproduce NAME)", experiments.names()),
    ):
        click.echo(click.style(title, bold=True))
        for name in names:
            click.echo(f"  {name}")


def _traffic_models() -> list[str]:
    models = json.loads(_core.json_schema())["$defs"]["UserModel"]["oneOf"]
    return [model["properties"]["model"]["const"] for model in models]


@click.command
@click.argument("name", metavar="NAME")
def explain(name: str) -> None:
    """Explain a queue discipline: what it does, its source, its parameters with units and defaults.

    Host profiles and traffic models, which `aqmlab list` prints too, are explained alike.

    \b
    Examples:
      aqmlab explain pi
      aqmlab explain ared | less
      aqmlab explain my_red.py:MyRed
      aqmlab explain linux6-cubic
    """
    if ":" in name:
        from aqmlab.schemes.trial import known as registered

        click.echo(_core.explain(registered(name)))
        return
    schemes, profiles, models = _core.scheme_names(), _core.profile_names(), _traffic_models()
    if name in schemes:
        click.echo(_core.explain(name))
    elif name in profiles:
        click.echo(_profile_in_words(name))
    elif name in models:
        click.echo(_model_in_words(name))
    else:
        known = [*schemes, *profiles, *models]
        raise click.UsageError(
            f'no queue discipline, host profile or traffic model is called "{name}"; legal: '
            f"{', '.join(known)}{nearest(name, known)}"
        )


def _profile_in_words(name: str) -> str:
    """Which stack a host profile is, and its values of the keys of `host`."""
    meaning, settings = _core.profile_settings(name) or ("", [])
    keys = json.loads(_core.json_schema())["$defs"]["HostOverrides"]["properties"]
    lines = [name, "", f"Host profile. {meaning}", "", "Settings (keys of host, such as host = { ... }):"]
    for key, value in settings:
        lines += ["", f"  {key}: {value}", f"      {_one_line(keys[key])}"]
    return "\n".join([*lines, ""])


def _model_in_words(name: str) -> str:
    """What a traffic model is, and its parameters with their defaults."""
    models = json.loads(_core.json_schema())["$defs"]["UserModel"]["oneOf"]
    model = next(each for each in models if each["properties"]["model"]["const"] == name)
    lines = [
        name,
        "",
        f"Traffic model. {_one_line(model)}",
        "",
        'Parameters (keys of model = { model = "..." }):',
    ]
    for key, parameter in model["properties"].items():
        if key == "model":
            continue
        default = parameter.get("default")
        shown = "unset unless given" if default is None else f"default {json.dumps(default)}"
        lines += ["", f"  {key}: {shown}", f"      {_one_line(parameter)}"]
    return "\n".join([*lines, ""])


def _one_line(described: Mapping[str, str]) -> str:
    return " ".join(described.get("description", "").split())


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
