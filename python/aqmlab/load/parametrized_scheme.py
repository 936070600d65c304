"""A scheme with parameters on one line: `codel:target_ms=20`, or `codel target 20ms` as Linux spells it."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import ScenarioError
from aqmlab.files.own_names import require_object
from aqmlab.files.toml_text import TomlText, toml_value
from aqmlab.terminal.spelling import quoted
from aqmlab.traffic_control import is_linux, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SCHEME = re.compile(r"(?P<name>[^:]*(?::[^:=]*)*?\.(?:py|so|dylib):[^:=]+|[^:]*)(?::(?P<parameters>.*))?")
"""A scheme in a file has a colon in its name: `my_red.py:MyRed`, `my_red.so:my_red`."""
_SPELT = {
    "choke": "CHOKe",
    "codel": "CoDel",
    "drop-tail": "drop-tail",
    "dualpi2": "DualPI2",
    "fq-codel": "FQ-CoDel",
    "linux-fq": "Linux-fq",
}
"""How people write the schemes that they do not write in capitals alone."""
_CLOSED_BY = {"{": "}", "[": "]", '"': '"', "'": "'"}


@dataclass(frozen=True)
class ParametrizedScheme:
    """A scheme and the values of some of its parameters.

    Attributes:
        name: The scheme: `codel`, or `my_red.py:MyRed`.
        parameters: TOML values or bare words by parameter, in the order in which they were given.
        is_linux: Whether it was in Linux's spelling: then its parameters are all of Linux's, and none of a
            scenario's queue stay beside them.
        remarks: What of that spelling is passed over.
    """

    name: str
    parameters: Mapping[str, TomlText] = field(default_factory=dict)
    is_linux: bool = False
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> ParametrizedScheme:
        """Reads `scheme:parameter=value:parameter=value`, or a queue discipline in Linux's spelling."""
        if is_linux(text):
            queue = read(text)
            values = {key: TomlText(toml_value(value)) for key, value in queue.parameters.items()}
            return cls(queue.scheme, values, is_linux=True, remarks=queue.remarks)
        require_object(text.strip())
        name, given = split_name(text)
        if given is None:
            return cls(text)
        example = "scheme:parameter=value:parameter=value, such as codel:target_ms=20:interval_ms=200"
        return cls(name.strip(), settings_of(f"scheme {quoted(text)}", given, "parameter", example))


def split_name(text: str) -> tuple[str, str | None]:
    """The name, which of what is in a file has a colon of its own, and the parameters behind it, if any."""
    found = _SCHEME.fullmatch(text)
    return (found["name"], found["parameters"]) if found else (text, None)


def settings_of(place: str, given: str, called: str, example: str) -> dict[str, TomlText]:
    """The settings behind a name, `key=value:key=value`, each of which stands once."""
    settings: dict[str, TomlText] = {}
    for part in split_outside_brackets(given, ":"):
        key, equals, value = (each.strip() for each in part.partition("="))
        if not (key and equals and value):
            said = f"{quoted(part)} is not of the form {called}=value"
            raise ScenarioError(f"{place}: {said}; legal: {example}")
        if key in settings:
            raise ScenarioError(f"{place}: {key} is given twice; legal: once")
        settings[key] = TomlText(value)
    return settings


def labels_of(schemes: Iterable[str]) -> dict[str, str]:
    """What schemes are called beside one another, by how they were typed.

    Linux's spelling is long: a queue is called by its name, its first word, and the words that not all queues
    of its name have. Others are called as they were typed.
    """
    typed = list(schemes)
    queues = {text: read(text).words for text in typed if is_linux(text)}
    found = {text: _short(words, [*queues.values()]) for text, words in queues.items()}
    labels = {text: found.get(text, text) for text in typed}
    return {
        text: label if list(labels.values()).count(label) == 1 else " ".join(queues.get(text, (text,)))
        for text, label in labels.items()
    }


def spelt(label: str) -> str:
    """A scheme as people write it: PIE, FQ-CoDel; what else a label may be stays as it was typed."""
    if label in _SPELT:
        return _SPELT[label]
    return label.upper() if label in _core.scheme_names() else label


def _short(words: Sequence[str], queues: Sequence[Sequence[str]]) -> str:
    """A queue's words without those that all queues of its name have."""
    name, *own = words
    if not own:
        return name if is_linux(name) else f"{name} (Linux)"
    shared = set.intersection(*(set(others) for others in queues if others[0] == name))
    told = [word for number, word in enumerate(own) if not number or word not in shared]
    return " ".join([name, *(word.removeprefix("bandwidth ") for word in told)])


def warn_of_remarks(schemes: Iterable[str]) -> None:
    """Warns of what is passed over of schemes in Linux's spelling."""
    for remark in dict.fromkeys(each for text in schemes for each in ParametrizedScheme.of(text).remarks):
        warnings.warn(remark, stacklevel=3)


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """The parts of a text between separators; a separator within brackets or quotation marks is none."""
    parts, open_until = [""], ""
    for letter in text:
        if letter == separator and not open_until:
            parts.append("")
            continue
        parts[-1] += letter
        if open_until and letter == open_until[-1]:
            open_until = open_until[:-1]
        elif letter in _CLOSED_BY and open_until[-1:] not in {'"', "'"}:
            open_until += _CLOSED_BY[letter]
    return parts
