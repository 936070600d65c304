"""A queue discipline in Linux's spelling, read into a scheme with parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import ScenarioError
from aqmlab.terminal.spelling import quoted, shortened
from aqmlab.traffic_control.disciplines import DISCIPLINES, REFUSED, SHAPERS
from aqmlab.traffic_control.line import discipline_in, htb_class_in, is_line
from aqmlab.traffic_control.netem import as_keys
from aqmlab.traffic_control.sqm import is_sqm, queues_of_sqm
from aqmlab.traffic_control.units import NUMBER, OVERHEAD, RATE, SIZE
from aqmlab.traffic_control.words import refusal, unknown_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.traffic_control.units import Unit
    from aqmlab.traffic_control.words import Discipline

_IN_A_FILE = re.compile(r"\.(?:py|so|dylib):")


@dataclass(frozen=True)
class LinuxQueue:
    """A queue discipline of Linux as it was typed.

    Attributes:
        name: Its name, such as `fq_codel`.
        scheme: The scheme that it is here, such as `fq-codel`.
        parameters: The scheme's parameters by key, Linux's defaults among them.
        given: The keys that the words themselves gave.
        remarks: What is passed over, in words.
        words: Its name, and its words, each with its argument.
    """

    name: str
    scheme: str
    parameters: Mapping[str, Any]
    given: frozenset[str]
    remarks: tuple[str, ...]
    words: tuple[str, ...]


def is_linux(text: str) -> bool:
    """Whether a scheme is in Linux's spelling.

    A name that is a scheme's too, such as `codel`, is one only with words behind it.
    """
    if is_line(text) or is_sqm(text):
        return True
    first, *words = text.split() or [""]
    name = _plain(first)
    if _IN_A_FILE.search(text) or (words and words[0].startswith(":")):
        return False
    if words:
        return name in DISCIPLINES or name in REFUSED
    return first in {*DISCIPLINES, *REFUSED} and first not in _core.scheme_names()


def read(text: str) -> LinuxQueue:
    """Reads a queue discipline with its words, or a whole line of `tc`."""
    if is_sqm(text):
        lines = [f"{each.way}: {each.line}" for each in queues_of_sqm(text) if each.line]
        raise refusal("sqm", "a configuration sets a queue each way", "; ".join(lines) or "one with a rate")
    if made := htb_class_in(text):
        said = "tc class sets one class of several, and no queue"
        raise refusal("htb", said, _as_class(made), value="class")
    line = discipline_in(text)
    first, *words = line.words or ("",)
    name = _plain(first)
    if name in REFUSED:
        reason, _, legal = REFUSED[name].partition("; legal: ")
        if name in SHAPERS:
            legal = _as_shaper(words)
        elif name == "netem":
            legal = as_keys(words)
        legal = legal or "fq_codel, cake"
        raise refusal(name, reason, legal, value=name)
    if name not in DISCIPLINES:
        raise ScenarioError.unknown(f"scheme {quoted(first)}", first, [*DISCIPLINES])
    found = _Words(name, DISCIPLINES[name])
    found.take(words)
    return found.read(line.remarks)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _as_shaper(words: Sequence[str]) -> str:
    """Where the shaper that the words describe is written."""
    said = dict(pairwise(words))
    rate_bits = RATE.read(said.get("rate", ""))
    found = {
        "rate_mbps": f"{rate_bits / 1e6:g}" if rate_bits else "...",
        "burst_bytes": SIZE.read(said.get("burst", "").partition("/")[0]),
        "overhead_bytes": OVERHEAD.read(said.get("overhead", "")),
        "minimum_frame_bytes": OVERHEAD.read(said.get("mpu", "")),
    }
    keys = ", ".join(f"{key} = {value}" for key, value in found.items() if value is not None)
    return f"shaper = {{ {keys} }} in a link of a topology, or shaped_share_up in [line], beside a queue"


_RATES_OF_CLASS = {"rate_mbps": "rate", "ceil_mbps": "ceil"}
_SIZES_OF_CLASS = {"burst_bytes": "burst", "ceil_burst_bytes": "cburst", "quantum_bytes": "quantum"}
HTB_IN_WORDS = {
    **{f"class {word}": f"{key} of a class" for key, word in (_RATES_OF_CLASS | _SIZES_OF_CLASS).items()},
    "class prio": "prio of a class",
    "class parent, classid": "parent and name of a class",
    "class overhead, mpu, linklayer": "overhead_bytes, minimum_frame_bytes, framing, of all classes",
    "filter ... flowid": "hosts and dscp of a class",
    "default": "default, the name of a class",
    "r2q": "quantum_bytes of each class",
    "direct_qlen, offload": "not modelled: what no filter sorts belongs to the class default",
}
"""What the words of `tc` about a tree of `htb` are among the keys of the scheme."""


def _as_class(words: Sequence[str]) -> str:
    """Where the class that the words describe is written."""
    said = dict(pairwise(words))
    bits = {key: RATE.read(said.get(word, "")) for key, word in _RATES_OF_CLASS.items()}
    sizes = {key: SIZE.read(said.get(word, "").partition("/")[0]) for key, word in _SIZES_OF_CLASS.items()}
    numbers = {"prio": NUMBER.read(said.get("prio", ""))}
    found = {key: f"{each / 1e6:g}" for key, each in bits.items() if each} | {
        key: f"{each}" for key, each in (sizes | numbers).items() if each is not None
    }
    keys = ", ".join(f"{key} = {value}" for key, value in found.items()) or "rate_mbps = ..."
    return f'{{ {keys} }} among the classes of queue = {{ scheme = "htb", classes = [...] }} in a scenario'


class _Words:
    """The words of one discipline, taken one after another."""

    def __init__(self, name: str, discipline: Discipline) -> None:
        self._name, self._discipline, self._typed = name, discipline, [name]
        self._found: dict[str, Any] = {**discipline.always}
        self._given: set[str] = set()
        self._said: set[str] = set()
        self._remarks: dict[str, None] = {}

    def take(self, words: Sequence[str]) -> None:
        """Takes all words."""
        left = [*reversed(words)]
        while left:
            said = left.pop()
            if (word := self._discipline.words.get(said)) is None:
                raise unknown_word(self._name, said, self._discipline.words)
            self._said.add(said)
            if word.remark:
                self._remarks[f"{said} is not modelled: {word.remark}"] = None
            unit, before = word.argument, left[-word.arguments :]
            arguments = [self._argument(said, unit, left) for _ in range(word.arguments)] if unit else []
            self._typed.append(" ".join([said, *(before[::-1] if unit else ())]))
            self._set(word.sets)
            for key, more in word.adds.items():
                self._set({key: self._found.get(key, 0) + more})
            if word.makes is not None:
                self._set(word.makes(arguments[0]))
            elif word.key:
                self._set({word.key: word.value(arguments if word.arguments > 1 else arguments[0])})

    def _set(self, parameters: Mapping[str, Any]) -> None:
        self._found |= parameters
        self._given |= parameters.keys()

    def _argument(self, said: str, unit: Unit, left: list[str]) -> Any:  # noqa: ANN401
        """The next argument of a word, as its unit reads it; the next of what is left is the last."""
        value = unit.read(left[-1]) if left else None
        if not left or (value is None and left[-1] in self._discipline.words):
            raise refusal(
                self._name, f"{said}: {unit.name} is missing", f"{said} and {unit.legal}", value=said
            )
        argument = left.pop()
        if value is None:
            why = ": a share, and no rate" if unit.name == RATE.name and argument.endswith("%") else ""
            raise refusal(
                self._name,
                f"{said} {shortened(argument)}{why}",
                unit.legal,
                value=argument,
                nearest=unit.meant(argument) or None,
            )
        if beside := unit.beside(argument):
            self._remarks[f"{said} {beside}"] = None
        return value

    def read(self, remarks: Sequence[str]) -> LinuxQueue:
        """The queue that the words describe, with the remarks on the line around them."""
        for needed in self._discipline.needs:
            if needed not in self._said:
                raise refusal(
                    self._name, f"{needed} is missing, which tc asks for", f"{needed} and its value"
                )
        further = self._discipline.complete(self._found)
        always = [self._discipline.remark] if self._discipline.remark else []
        return LinuxQueue(
            self._name,
            self._discipline.scheme,
            self._found,
            frozenset(
                (self._given | (self._found.keys() - self._discipline.always.keys())) & self._found.keys()
            ),
            tuple(f"{self._name}: {each}" for each in (*remarks, *self._remarks, *further, *always)),
            tuple(self._typed),
        )
