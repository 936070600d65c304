"""What people paste: the discipline and its words within a line of `tc`, typed or printed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import dropwhile

from aqmlab.traffic_control.words import refusal

_OBJECTS = {"class": "classes", "filter": "filters", "action": "actions", "chain": "chains"}
_SETTING = ("add", "replace", "change", "link")
_OTHER = ("delete", "show", "list", "get")
_WITH_ARGUMENT = {
    "dev": 1,
    "handle": 1,
    "parent": 1,
    "refcnt": 1,
    "est": 2,
    "estimator": 2,
    "ingress_block": 1,
    "egress_block": 1,
}
_ALONE = {"root", "offloaded"}
_OF_SIZES = {"mtu", "mpu", "overhead", "tsize", "linklayer"}
_PROMPTS = {"#", "$", ">"}
_CHANGE = "change keeps what the queue had; here what the line does not name is Linux's default"
_LEGAL = "tc qdisc replace dev DEV root fq_codel ..., or fq_codel ... alone"


@dataclass(frozen=True)
class Line:
    """The words of a discipline, and what of the line around them is passed over.

    Attributes:
        words: The name of the discipline and its words.
        remarks: What changes something and is passed over.
    """

    words: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def is_line(text: str) -> bool:
    """Whether it is a line of `tc`, typed or printed."""
    first = _without_prompt(_words(text))[:1]
    return bool(first) and (_is_tc(first[0]) or first[0] == "qdisc")


def htb_class_in(text: str) -> tuple[str, ...]:
    """The words behind `htb` in a line that adds or prints a class of it; none of other lines."""
    words = _without_prompt(_words(text))
    if words and _is_tc(words[0]):
        words = [*dropwhile(lambda word: word.startswith("-"), words[1:])]
    is_class = bool(words) and len(words[0]) > 1 and "class".startswith(words[0])
    return tuple(words[words.index("htb") + 1 :]) if is_class and "htb" in words else ()


def discipline_in(text: str) -> Line:
    """The discipline that a line sets or shows."""
    if sum(is_line(line) for line in _lines(text)) > 1:
        raise refusal("tc", "several lines", "one line, or lines separated by commas")
    words = _without_prompt(_words(text))
    if words and _is_tc(words[0]):
        return _of_tc([*dropwhile(lambda word: word.startswith("-"), words[1:])])
    if words[:1] == ["qdisc"]:
        if len(words) > 1 and words[1] in _SETTING:
            return _of_tc(words)
        # Printed: the name stands before handle and device.
        return _behind(words[3:], name=words[1:2])
    return Line(tuple(words))


def _words(text: str) -> list[str]:
    """The words of the first line that has any."""
    return next((words for line in _lines(text) if (words := line.split())), [])


def _lines(text: str) -> list[str]:
    """The lines of a text; a backslash joins lines."""
    return text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines()


def _without_prompt(words: list[str]) -> list[str]:
    while words and (words[0] in _PROMPTS or words[0] == "sudo"):
        words = words[1:]
    if words and words[0][:1] in _PROMPTS:
        words = [words[0][1:], *words[1:]]
    return words


def _is_tc(word: str) -> bool:
    return word.rpartition("/")[2] == "tc"


def _of_tc(words: list[str]) -> Line:
    """What `tc` is asked for; like it, it takes the beginnings of its own words."""
    what, verb = (*words[:2], "", "")[:2]
    if not (what and "qdisc".startswith(what)):
        meant = next((told for name, told in _OBJECTS.items() if what and name.startswith(what)), "")
        said = f"{what or 'tc'}: {f'sets {meant}, and no queue' if meant else 'no command that sets a queue'}"
        raise refusal("tc", said, _LEGAL, value=what)
    if verb and any(name.startswith(verb) for name in _SETTING):
        found = _behind(words[2:])
        return replace(found, remarks=(*found.remarks, _CHANGE)) if "change".startswith(verb) else found
    if any(name.startswith(verb) for name in _OTHER) and verb:
        raise refusal("tc", f"qdisc {verb}: sets no queue", f"{_LEGAL}, or a line that it prints", value=verb)
    raise refusal("tc", f'qdisc "{verb}": no verb that sets a queue', ", ".join(_SETTING), value=verb)


def _behind(words: list[str], name: list[str] | None = None) -> Line:
    """What stands behind device, place and handle."""
    remarks: list[str] = []
    at = 0
    while at < len(words):
        if words[at] in _WITH_ARGUMENT:
            at += 1 + _WITH_ARGUMENT[words[at]]
        elif words[at] in _ALONE:
            at += 1
        elif words[at] == "stab":
            at += 1
            while at < len(words) and words[at] in _OF_SIZES:
                at += 2
            remarks.append(
                "stab is not modelled: queues count what the link counts (layer2_queued_bytes), and a shaper "
                "has overhead_bytes, minimum_frame_bytes and framing"
            )
        else:
            break
    found = [*(name or []), *words[at:]]
    if not found:
        raise refusal("tc", "the line names no queue discipline", _LEGAL)
    return Line(tuple(found), tuple(remarks))
