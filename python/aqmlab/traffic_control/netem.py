"""Linux's netem in the keys of a link: no queue discipline here, but delay, losses and what else it does.

Words are those of iproute2 7 (`tc/q_netem.c`, tc-netem(8)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.terminal.spelling import closest, shortened
from aqmlab.traffic_control.units import PACKETS, PERCENT, RATE, TIME
from aqmlab.traffic_control.words import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.errors import ScenarioError
    from aqmlab.traffic_control.units import Unit

_NOT_MODELLED = {
    "corrupt": "no packet is damaged",
    "slot": "packets do not leave in slots",
    "ecn": "losses are losses, and no marks",
    "state": "losses of four states are not modelled; gemodel has two",
}
_LAWS = ("uniform", "normal", "pareto")
_WORDS = ("limit", "delay", "distribution", "loss", "duplicate", "reorder", "gap", "rate", "seed")
_ARGUMENTS = {
    "delay": (TIME, TIME, PERCENT),
    "duplicate": (PERCENT, PERCENT),
    "reorder": (PERCENT, PERCENT),
    "random": (PERCENT, PERCENT),
    "gemodel": (PERCENT, PERCENT, PERCENT, PERCENT),
    "gap": (PACKETS,),
    "rate": (RATE,),
    "limit": (PACKETS,),
    "seed": (PACKETS,),
}
"""The arguments of each word, of which the first is needed."""


def as_keys(words: Sequence[str]) -> str:
    """What the words are as keys of a link, and as those of a line where it has them."""
    found = _Netem()
    left = [*words]
    while left:
        found.take(left.pop(0), left)
    of_line = found.keys_of_line()
    places = f", in a link of a topology or a [dumbbell]{f'; in [line]: {of_line}' if of_line else ''}"
    return found.keys() + places


class _Netem:
    def __init__(self) -> None:
        self._link: dict[str, Any] = {}
        self._netem: dict[str, Any] = {}
        self._queue = ""

    def take(self, word: str, left: list[str]) -> None:
        """Takes a word and its arguments from the front of what is left."""
        if word == "latency":
            word = "delay"
        if word in {"loss", "drop"}:
            word = left.pop(0) if left and left[0] in {"random", "gemodel", "state"} else "random"
        if word in _NOT_MODELLED:
            raise refusal("netem", f"{word} is not modelled: {_NOT_MODELLED[word]}", ", ".join(_WORDS))
        if word == "distribution":
            return self._distribution(left)
        if word not in _ARGUMENTS:
            raise refusal(
                "netem",
                f'"{shortened(word)}" is no word of Linux\'s netem',
                ", ".join(_WORDS),
                value=word,
                nearest=closest(word, _WORDS),
            )
        values = _taken(word, _ARGUMENTS[word], left)
        getattr(self, f"_{word}")(*values)
        return None

    def _distribution(self, left: list[str]) -> None:
        law = left.pop(0) if left else ""
        if law not in _LAWS:
            why = f"distribution {shortened(law)}: a table of its own is not modelled"
            raise refusal("netem", why, ", ".join(_LAWS), value=law, nearest=closest(law, _LAWS))
        if law != "uniform":
            self._netem["jitter_distribution"] = law

    def _delay(self, delay_us: float, jitter_us: float = 0.0, correlation: float = 0.0) -> None:
        self._link["delay_ms"] = delay_us / 1e3
        if jitter_us:
            self._netem["jitter_ms"] = jitter_us / 1e3
        if correlation:
            self._netem["jitter_correlation"] = correlation / 100

    def _random(self, percent: float, correlation: float = 0.0) -> None:
        if correlation:
            raise _correlated_loss()
        self._link["loss_probability"] = percent / 100

    def _gemodel(
        self, p: float, r: float | None = None, bad: float = 100.0, good: float | None = None
    ) -> None:
        self._netem["gilbert_elliott"] = {
            "to_bad_probability": p / 100,
            "to_good_probability": (100 - p if r is None else r) / 100,
            **({"bad_loss_probability": bad / 100} if bad != 100 else {}),
            **({"good_loss_probability": good / 100} if good else {}),
        }

    def _duplicate(self, percent: float, correlation: float = 0.0) -> None:
        self._coins("duplicate", percent, correlation)

    def _reorder(self, percent: float, correlation: float = 0.0) -> None:
        self._coins("reorder", percent, correlation)

    def _coins(self, name: str, percent: float, correlation: float) -> None:
        self._netem[f"{name}_probability"] = percent / 100
        if correlation:
            self._netem[f"{name}_correlation"] = correlation / 100

    def _gap(self, packets: int) -> None:
        self._netem["reorder_gap"] = packets

    def _rate(self, bits: float) -> None:
        self._link["rate_mbps"] = bits / 1e6

    def _limit(self, packets: int) -> None:
        self._queue = f'queue = {{ scheme = "drop-tail", limit_packets = {packets} }}'

    def _seed(self, _: int) -> None:
        """The seed is that of the run."""

    def keys_of_line(self) -> str:
        """What of it a line has, by the ways."""
        said = {"loss_probability": self._link.get("loss_probability"), "netem": self._netem_in_order()}
        return ", ".join(f"{key}_down and {key}_up = {_shown(value)}" for key, value in said.items() if value)

    def keys(self) -> str:
        """The keys, as a link has them."""
        keys = [f"{key} = {_shown(value)}" for key, value in self._link.items()]
        if netem := self._netem_in_order():
            keys.append(f"netem = {_shown(netem)}")
        return ", ".join([*keys, *([self._queue] if self._queue else [])]) or "delay_ms"

    def _netem_in_order(self) -> dict[str, Any]:
        """The table `netem`, with whether packets keep their order."""
        # With a rate netem sends one packet behind the other.
        overtake = "jitter_ms" in self._netem and "rate_mbps" not in self._link
        return {**self._netem, "keeps_order": False} if overtake else self._netem


def _taken(word: str, units: tuple[Unit, ...], left: list[str]) -> list[Any]:
    """The arguments of a word; those behind the first may be missing."""
    values: list[Any] = []
    for unit in units:
        value = unit.read(left[0]) if left else None
        if value is None:
            if values:
                break
            said = left[0] if left else ""
            what = f"{word} {shortened(said)}" if said else f"{word}: {unit.name} is missing"
            raise refusal("netem", what, unit.legal, value=said or word)
        values.append(value)
        left.pop(0)
    return values


def _correlated_loss() -> ScenarioError:
    why = "loss with a correlation is not modelled"
    return refusal("netem", why, "loss PERCENT, or loss gemodel P R, whose losses come in bursts")


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_shown(own)}" for key, own in value.items()) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"
