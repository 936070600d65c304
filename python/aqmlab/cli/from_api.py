"""Commands whose options are the arguments of a function of the API, with its docstring as their help.

What an option is called and takes follows from the function: `length_s` is `--length SECONDS`, the kind of
the argument (`aqmlab.arguments`) says how it is read, its default is the option's, and its line in the
docstring is the help. A command names only what differs.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import aqmlab
from aqmlab import arguments
from aqmlab.cli import options
from aqmlab.seeds import given_seeds, given_seeds_if_any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_IN_THE_NAME = {"mbps": "MBPS", "s": "SECONDS", "runs": "RUNS"}
"""Units that an argument has in its name and the option has not: its value is called by them."""
_LEGAL = {"mbps": "Mbit/s, such as 10", "s": "seconds, such as 0.5"}
"""What is typed for a number in such a unit."""
_ABOVE_ZERO = click.FloatRange(min=0, min_open=True)
_READ: dict[object, dict[str, Any]] = {
    arguments.above_zero: {"type": _ABOVE_ZERO},
    arguments.flag: {"is_flag": True},
    arguments.folder: {"type": options.FOLDER, "metavar": "FOLDER"},
    arguments.label: {"metavar": "NAME"},
    arguments.links: {"callback": options.read_names, "metavar": "NAME,..."},
    arguments.path: {"type": click.Path(path_type=Path), "metavar": "FILE"},
    arguments.schemes: {"callback": options.read_schemes, "metavar": "NAME[:KEY=VALUE...],..."},
    arguments.number: {"type": float},
    arguments.seconds: {"callback": options.read_time, "metavar": "TIME"},
    arguments.mapping: {},
    given_seeds_if_any: {"callback": options.read_seeds, "metavar": "A-B,C"},
    given_seeds: {"callback": options.read_seeds, "metavar": "A-B,C"},
    arguments.table_file: {
        "type": options.FILE,
        "callback": options.read_table_file,
        "metavar": "FILE.csv|.parquet",
    },
    arguments.text: {"metavar": "NAME"},
}
"""How an option of a kind is read."""
SCENARIO = {"metavar": "SCENARIO.toml"}
_NOT_OPTIONS = {"workers", "executor", "progress"}
"""What `execution_options` has for all commands."""


class InUnit(click.types.FloatParamType):
    """A number in a unit, which the error of something else names."""

    def __init__(self, unit: str) -> None:
        self._legal = _LEGAL[unit]

    def convert(
        self,
        value: Any,  # noqa: ANN401 (as click has it)
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401
        """The number of what was typed."""
        try:
            float(value)
        except ValueError:
            self.fail(f"{value} is no number; legal: {self._legal}", param, ctx)
        return super().convert(value, param, ctx)


class _AboveZeroInUnit(InUnit, click.FloatRange):
    """The same, above 0."""

    def __init__(self, unit: str) -> None:
        InUnit.__init__(self, unit)
        click.FloatRange.__init__(self, min=0, min_open=True)


class OfFunction(click.Command):
    """Loads the function when its options are asked for: the list of all commands needs none of them."""

    def __init__(
        self,
        *given: Any,  # noqa: ANN401
        function: str,
        after: Mapping[str, str],
        differing: Mapping[str, Mapping[str, Any] | None],
        **named: Any,  # noqa: ANN401
    ) -> None:
        self._function, self._after, self._differing = function, after, differing
        self._complete = False
        super().__init__(*given, **named)

    @property
    def params(self) -> list[click.Parameter]:
        """Those of the function, then those of the command alone, except those that have another place."""
        if not self._complete:
            self._complete = True
            self._params[:0] = self._of_function()
            every = {str(each.name): each for each in self._params}
            for name, before in self._after.items():
                self._params.remove(every[name])
                self._params.insert(self._params.index(every[before]) + 1, every[name])
        return self._params

    @params.setter
    def params(self, own: list[click.Parameter]) -> None:
        self._params = own

    def _of_function(self) -> list[click.Parameter]:
        function = function_named(self._function)
        kinds, told = arguments.kinds_of(function), arguments_in_words(function)
        found: list[click.Parameter] = []
        for name, each in inspect.signature(function).parameters.items():
            differs = self._differing.get(name, {})
            if differs is None or name in _NOT_OPTIONS:
                continue
            if name == "overrides":
                found.append(options.overrides())
            elif each.kind is each.POSITIONAL_OR_KEYWORD:
                read = {"required": each.default is each.empty, **_read(name, kinds.get(name)), **differs}
                found.append(click.Argument([name], **read))
            else:
                found.append(_option(each, kinds.get(name), told[name], dict(differs)))
        return found


def from_api(
    function: str,
    after: Mapping[str, str] | None = None,
    cls: type[OfFunction] | None = None,
    **differing: Mapping[str, Any] | None,
) -> Callable[[Callable[..., Any]], click.Command]:
    """A command whose options are the arguments of a function of `aqmlab`.

    Args:
        function: Its name; of one that `aqmlab` does not list itself with its module.
        after: Options that have another place than last, or than in the function, each with the one before.
        cls: The class of the command, where it is one of its own.
        differing: By argument what its option has that does not follow from the function, as click takes it;
            `names` are its names. None: it has no option.
    """
    return click.command(cls=cls or OfFunction, function=function, after=after or {}, differing=differing)


def _option(
    argument: inspect.Parameter, kind: arguments.Kind | None, told: str, differs: dict[str, Any]
) -> click.Option:
    name, required = argument.name, argument.default is argument.empty
    stem, _, unit = name.rpartition("_")
    called = stem if unit in _IN_THE_NAME else name
    short = ["-o"] if called == "output" else []
    names = differs.pop("names", [*short, f"--{called.replace('_', '-')}"])
    read = _read(name, kind)
    default: Any = None if required else argument.default
    if default not in (None, (), "") and not read.get("is_flag"):
        if isinstance(default, tuple) and not read.get("multiple"):
            default = ",".join(map(str, default))
        read |= {"default": f"{default:g}" if isinstance(default, float) else default, "show_default": True}
    return click.Option([*names, name], **{"help": told, "required": required, **read, **differs})


def _read(name: str, kind: arguments.Kind | None) -> dict[str, Any]:
    """How what is of a kind is read."""
    found: dict[str, Any]
    match kind:
        case None:
            found = {"type": click.Path(path_type=Path)}
        case arguments.Optional():
            found = _read(name, kind.kind)
        case arguments.Texts():
            found = {"callback": options.read_names, "metavar": "NAME,..."}
        case arguments.Listed() | arguments.FlagOr():  # of which kind, the command says
            found = {}
        case arguments.Whole():
            found = {"type": click.IntRange(kind.least, kind.most), **_unit(name, "N")}
        case arguments.WholeNumbers():
            found = {"callback": options.read_numbers, "metavar": "N,M,..."}
        case arguments.Between():
            found = {"type": click.FloatRange(kind.least, kind.most), **_unit(name)}
        case arguments.OneOf():
            found = {"type": click.Choice(kind.names)}
        case arguments.SomeOf():
            found = {"type": click.Choice(kind.names), "multiple": True}
        case arguments.above_zero if (unit := name.rpartition("_")[2]) in _LEGAL:
            found = {"type": _AboveZeroInUnit(unit), **_unit(name)}
        case arguments.number if (unit := name.rpartition("_")[2]) in _LEGAL:
            found = {"type": InUnit(unit), **_unit(name)}
        case _:
            found = _READ[kind] | (_unit(name) if kind in (arguments.above_zero, arguments.number) else {})
    return found


def _unit(name: str, otherwise: str = "") -> dict[str, Any]:
    unit = name.rpartition("_")[2]
    return {"metavar": _IN_THE_NAME.get(unit, otherwise or unit.upper())}


def function_named(name: str) -> Callable[..., Any]:
    """A function of the package: `compare`, `study.design.rules.arc`."""
    module, _, own = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"aqmlab.{module}") if module else aqmlab, own)
    return found


def arguments_in_words(function: Callable[..., Any]) -> dict[str, str]:
    """What the docstring of a function says of each argument."""
    section = re.search(r"^Args:\n((?: {4}.*\n?|\n)+)", inspect.getdoc(function) or "", re.MULTILINE)
    parts = re.split(r"^ {4}(\w+): ", "" if section is None else section[1], flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in zip(parts[1::2], parts[2::2], strict=True)}
