"""`aqmlab list`, `aqmlab explain`, `aqmlab schema`: what there is."""

from __future__ import annotations

import json
import re
import textwrap

import click

from aqmlab import _core
from aqmlab.terminal.spelling import nearest

_LINE_COLUMNS = 80
_HANGING = re.compile(r" +(?:\S.{0,38}? {2,}(?=\S))?")


@click.command("list")
def list_names() -> None:
    """List schemes, controllers, profiles, models, presets, studies.

    Transports and applications too; each with a line on what it is.

    \b
    Examples:
      aqmlab list
      aqmlab explain ared          more about one of them
    """
    from aqmlab import presets
    from aqmlab.cli.reproduce import STRANGERS
    from aqmlab.load.controllers import controller_sources
    from aqmlab.papers import shipped
    from aqmlab.show.words.explained import applications, in_a_line, traffic_models

    def explained(names: list[str]) -> dict[str, str]:
        return {name: in_a_line(name) for name in names}

    catalogues = {
        "Queue disciplines (aqmlab explain NAME)": explained(_core.scheme_names()),
        "Congestion controllers (aqmlab explain NAME)": explained([*controller_sources()]),
        "Host profiles (aqmlab explain NAME)": explained(_core.profile_names()),
        "Transports (aqmlab explain NAME)": explained(_core.transport_names()),
        "Traffic models (aqmlab explain NAME)": explained(traffic_models()),
        "Applications over datagrams (aqmlab explain NAME)": explained(applications()),
        "Presets (aqmlab new NAME)": {name: presets.summary(name) for name in presets.names()},
        "Studies (aqmlab reproduce NAME)": {
            **{name: shipped.title(name) for name in shipped.names()},
            STRANGERS: "Measurements by others, each beside ours",
        },
    }
    width = max(len(name) for names in catalogues.values() for name in names)
    for title, names in catalogues.items():
        click.echo(click.style(title, bold=True))
        for name, line in names.items():
            indent = " " * (width + 4)
            told = textwrap.fill(line, _LINE_COLUMNS, initial_indent=indent, subsequent_indent=indent)
            click.echo(f"  {name:{width}}  {told.lstrip()}".rstrip())


@click.command
@click.argument("words", metavar="NAME", nargs=-1, required=True)
@click.option(
    "--linux", is_flag=True, help="Of a queue discipline: Linux's words for it, and what each is here."
)
def explain(words: tuple[str, ...], *, linux: bool) -> None:
    """Explain a scheme, controller, model, quantity or verdict.

    Of a queue discipline: what it does, its source, its parameters with units and defaults; of a controller:
    what it does, and its source; transports and applications too. `aqmlab list` prints the names. Of a
    quantity, such as delay_p95_ms: its definition (docs/reference/quantities.md). Of a word that results
    print as a verdict, such as suspect or not identifiable: what it means. Of a line of Linux's tc:
    the scheme and parameters that it is here, and what is passed over (docs/how-to/linux-words.md).

    \b
    Examples:
      aqmlab explain pi
      aqmlab explain cake --linux
      aqmlab explain "cake bandwidth 18Mbit nat dual-srchost"
      aqmlab explain ared | less
      aqmlab explain my_red.py:MyRed
      aqmlab explain my_pages.py:News
      aqmlab explain my_aimd.py:Aimd
      aqmlab explain prague
      aqmlab explain linux6-cubic
      aqmlab explain quic
      aqmlab explain cloud_game
      aqmlab explain delay_p95_ms
      aqmlab explain suspect
    """
    from aqmlab.files.own_names import require_object
    from aqmlab.show.words.linux_words import linux_words, read_in_words
    from aqmlab.traffic_control import is_linux

    name = " ".join(words)
    if linux:
        _show(linux_words(name))
        return
    if is_linux(name):
        _show(read_in_words(name))
        return
    require_object(name)
    if ":" in name:
        _show(_explained_in_file(name))
        return
    from aqmlab.show.words.explained import explained

    if (found := explained(name)) is None:
        raise _unknown(name)
    _show(found)


def _unknown(name: str) -> click.UsageError:
    """What to say of a name that nothing has."""
    from aqmlab.load.controllers import controller_sources, require_one_edition
    from aqmlab.show.words.explained import applications, traffic_models
    from aqmlab.show.words.words_of_results import words_of_results

    require_one_edition("NAME", name)
    profiles = [each for each in _core.profile_names() if each.startswith(f"{name}-")]
    if profiles:
        return click.UsageError(f"{name} has host profiles; legal: {', '.join(profiles)}")
    known = [*_core.scheme_names(), *controller_sources(), *_core.profile_names()]
    known += [*_core.transport_names(), *traffic_models(), *applications()]
    return click.UsageError(
        "no queue discipline, controller, host profile, transport, traffic model, application, quantity or "
        f'word of a result is called "{name}"; legal: '
        f"{', '.join(known)}{nearest(name, [*known, *words_of_results()])}"
    )


def _require_no_settings(name: str) -> None:
    """Refuses what has parameters behind its name: each of them is explained with the name alone."""
    from aqmlab.show.words.explained import explained

    is_class = any(ending in name for ending in (".py:", ".so:", ".dylib:"))
    alone = ":".join(name.split(":")[:2]) if is_class else name.partition(":")[0].strip()
    if alone != name if is_class else explained(alone) is not None:
        raise click.UsageError(f'NAME: "{name}" has settings; legal: the name alone, {alone}')
    if "." not in alone and "/" not in alone:  # nor is a file meant
        raise _unknown(alone)


def _explained_in_file(name: str) -> str:
    """What a scheme, a traffic model or a controller in a file is, in words."""
    from aqmlab.controllers.loading import is_controller_in_file
    from aqmlab.schemes.trial import known as registered
    from aqmlab.show.words.explained import explained_controller, explained_model, is_model_in_file

    if is_model_in_file(name):
        return explained_model(name)
    if is_controller_in_file(name):
        return explained_controller(name)
    _require_no_settings(name)
    return _core.explain(registered(name))


def _show(text: str) -> None:
    """Prints a text with its long lines broken, each below its first word, its second column or its value."""
    for line in _paragraphs(text):
        head = _HANGING.match(line)
        indent = " " * (len(head.group()) if head else 0)
        click.echo(
            textwrap.fill(
                line, _LINE_COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            if len(line) > _LINE_COLUMNS
            else line
        )


def _paragraphs(text: str) -> list[str]:
    """The lines of a text, with those of a paragraph as one: broken where the next word found no room."""
    joined: list[str] = []
    for line in text.splitlines():
        last = joined[-1].rpartition("\n")[2] if joined else ""
        goes_on = last[:1].strip() and line[:1].strip() and len(last) + len(line.split()[0]) >= _LINE_COLUMNS
        if goes_on:
            joined[-1] += f"\n{line}"
        else:
            joined.append(line)
    return [each.replace("\n", " ") for each in joined]


@click.command
@click.argument("scheme", metavar="[NAME|FILE.py:CLASS|LIBRARY.so:SYMBOL]", required=False)
def schema(scheme: str | None) -> None:
    """Print the JSON Schema of a scenario, for editors.

    Editors with a TOML plug-in check and complete scenarios with it. With the name of a queue discipline, or
    of your own queue discipline, traffic model or congestion controller: the schema of its table, the
    parameters with meaning, type, default and range.

    \b
    Examples:
      aqmlab schema > scenario.schema.json
      aqmlab schema red
      aqmlab schema my_red.py:MyRed
    """
    from aqmlab.controllers.loading import is_controller_in_file
    from aqmlab.schemes.described import schema_of_scenarios, schema_of_scheme
    from aqmlab.show.words.explained import is_model_in_file, schema_of_controller, schema_of_model

    if scheme is not None and is_model_in_file(scheme):
        printed = schema_of_model(scheme)
    elif scheme is not None and is_controller_in_file(scheme):
        printed = schema_of_controller(scheme)
    else:
        printed = schema_of_scenarios() if scheme is None else schema_of_scheme(scheme)
    click.echo(json.dumps(printed, indent=2, ensure_ascii=False))
