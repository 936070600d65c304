"""What of a scenario can be turned on the page: rates, buffer, scheme and its parameters, ECN, users."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping  # noqa: TC003 (records are read by their types)
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aqmlab import _core
from aqmlab.errors import RefusalError
from aqmlab.files.records import Count, Plain, read_as
from aqmlab.files.shape import COUNT, SEED, Kind
from aqmlab.load.queues import LIMITS, parameters_of_scheme
from aqmlab.study.tuning.space import default_ranges, space_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from aqmlab.study.tuning.space import Parameter

PAGE = "the page's request"
"""The place of an error in what the page sent."""
_RATE_FACTOR, _DEMAND_FACTOR, _LIMIT_FACTOR = 10.0, 10.0, 20.0


class PlayError(RefusalError):
    """What the page asked for, or what is to be played with, is refused."""


@dataclass(frozen=True, slots=True)
class Knob:
    """Something to turn."""

    name: str  # what the page calls it when it sends its value
    label: str  # what people read, with the unit
    kind: Literal["range", "choice", "switch"]  # a range, a choice or a switch
    value: Any  # where it stands in the scenario
    low: float = 0.0  # the least value of a range
    high: float = 0.0  # the greatest
    log: bool = True  # whether equal ratios are equally far apart
    integer: bool = False  # whether it is a whole number
    choices: tuple[Any, ...] = ()  # what can be chosen

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def around(cls, name: str, label: str, value: float, factor: float, *, integer: bool = False) -> Self:
        """A range from a value over a factor to the value times it."""
        low, high = value / factor, value * factor
        low = max(1.0, math.floor(low)) if integer else low
        return cls(name, label, "range", value, low, math.ceil(high) if integer else high, integer=integer)


def or_null(kind: Kind) -> Kind:
    """What a page may also leave open."""
    return Kind(f"{kind.legal}, or null", lambda value: value is None or kind.fits(value))


class Setting:
    """Where the controls of a page stand."""

    seed: int

    def require_other_than(self, before: Self) -> None:
        """Checks that something else was set than the seed."""
        if {**vars(before), "seed": self.seed} == vars(self):
            raise PlayError("both settings are the same, except for the seed; legal: change a setting first")


@dataclass(frozen=True, kw_only=True)
class Turned(Setting):
    """Where the knobs stand."""

    rates_mbps: Mapping[str, float]  # rates by their dotted keys, in Mbit/s
    demand: Count  # users; or flows or sources of datagrams, where there are no users
    scheme: str  # the queue management
    parameters: Mapping[str, Plain]  # its main parameters that were turned
    ecn: bool  # whether queues mark and hosts take part
    seed: Annotated[int, SEED]  # of the run
    # what may wait, in the scenario's own unit; none: what the scheme has by itself
    limit: Annotated[int | None, or_null(COUNT)] = None

    @classmethod
    def of(cls, sent: Any, place: str = PAGE) -> Self:  # noqa: ANN401
        """What the page sent."""
        return read_as(cls, sent, place, PlayError)


def read_json(text: str | bytes) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except RecursionError:
        raise PlayError(f"{PAGE}: is nested too deeply; legal: what the page sends") from None
    except ValueError as error:
        raise PlayError(f"{PAGE}: is not JSON: {error}") from None


def parameter_knobs(scheme: str, table: Mapping[str, Any]) -> list[Knob]:
    """The main parameters of a scheme, those that `aqmlab tune` searches, each where it is in force.

    A parameter without a value has no knob: another stands in its place, as thresholds for a target delay.
    """
    if scheme not in default_ranges():
        return []
    parameters = {each.name: each for each in space_of(scheme).parameters if each.name not in LIMITS}
    found = (
        _knob(each, parameters.get(each.times or ""), table.get(each.name)) for each in parameters.values()
    )
    return [knob for knob in found if knob is not None]


def _knob(parameter: Parameter, base: Parameter | None, value: object) -> Knob | None:
    """The knob of a parameter; `base` is the one that its range is a factor of, if it is."""
    if parameter.values:
        choices = parameter.values if value in parameter.values else (value, *parameter.values)
        return Knob(parameter.name, parameter.name, "choice", value, choices=choices)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    low, high = parameter.low, parameter.high
    if base is not None:  # a knob turns one parameter alone, and so it is none of factors
        low, high = low * base.low, high * base.high
    whole = parameter.integer and value == round(value)
    return Knob(
        parameter.name,
        parameter.name,
        "range",
        round(value) if whole else value,
        min(low, value),
        max(high, value),
        parameter.log,
        whole,
    )


def rate_knobs(rates_mbps: Mapping[str, float]) -> list[Knob]:
    several = len(rates_mbps) > 1
    return [
        Knob.around(key, f"rate{f' ({key})' if several else ''}, Mbit/s", rate, _RATE_FACTOR)
        for key, rate in rates_mbps.items()
    ]


def demand_knob(unit: str, size: int) -> Knob:
    """A knob for the users, or what stands in their place."""
    label = {"users": "users", "flows": "long flows", "datagrams": "sources of datagrams"}[unit]
    return Knob.around("demand", label, size, _DEMAND_FACTOR, integer=True)


def limit_knob(name: str, limit: int, *, of: str = "") -> Knob:
    """A knob for the buffer; of which link, where several have one."""
    label = f"buffer{f' ({of})' if of else ''}, {name.removeprefix('limit_')}"
    return Knob.around("limit", label, limit, _LIMIT_FACTOR, integer=True)


def schemes_to_choose(own: Sequence[str]) -> tuple[str, ...]:
    """The scenario's own schemes first, then all others that need no table within their table."""
    others = (scheme for scheme in _core.scheme_names() if "inner" not in parameters_of_scheme(scheme))
    return tuple(dict.fromkeys([*own, *others]))
