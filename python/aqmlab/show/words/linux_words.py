"""Linux's words for queue disciplines, and what each of them is here; what a line of them was read as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.files.toml_text import toml_value
from aqmlab.scenario import Scenario
from aqmlab.traffic_control import DISCIPLINES, HTB_IN_WORDS, REFUSED, is_sqm, queues_of_sqm, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.traffic_control import Discipline, Word
    from aqmlab.traffic_control.sqm import SqmQueue


def linux_words(name: str) -> str:
    """The words of a queue discipline of Linux, or of those that a scheme has there."""
    found = [each for each, its in DISCIPLINES.items() if name in {each, its.scheme}]
    parts = [f"{name}: not understood: {REFUSED[name]}"] if name in REFUSED else []
    if name == "htb":
        parts += ["\n".join(_of_htb())]
    if not (found or parts):
        known = dict.fromkeys([*DISCIPLINES, *(each.scheme for each in DISCIPLINES.values()), *REFUSED])
        raise RefusalError.unknown(f"queue discipline of Linux {name!r}", name, known)
    return "\n\n".join([*("\n".join(_lines(each, DISCIPLINES[each])) for each in found), *parts])


def _lines(name: str, discipline: Discipline) -> Iterator[str]:
    rows = [(_word_in_words(each, word), meaning(word)) for each, word in discipline.words.items()]
    width = max(len(word) for word, _ in rows)
    yield f"Linux's {name} is {discipline.scheme} here. Its words:"
    yield ""
    yield from (f"  {word:<{width}}  {meaning}" for word, meaning in rows)
    if discipline.needs:
        yield f"\n  tc asks for {' and '.join(discipline.needs)}."
    if discipline.remark:
        yield f"\n  Different: {discipline.remark}."


def _of_htb() -> Iterator[str]:
    """What a tree that several lines of `tc` make is in a scenario."""
    width = max(map(len, HTB_IN_WORDS))
    yield "Several lines of tc make a tree; in a scenario it is one table, and its words are keys there:"
    yield ""
    yield from (f"  {word:<{width}}  {meaning}" for word, meaning in HTB_IN_WORDS.items())


def _word_in_words(name: str, word: Word) -> str:
    return f"{name} {word.argument.name}{'...' * (word.arguments > 1)}" if word.argument else name


def meaning(word: Word) -> str:
    """What a word is here: parameters, or why there is none."""
    if word.remark:
        return f"not modelled: {word.remark}"
    if word.note:
        return word.note
    adds = [f"{key} + {more}" for key, more in word.adds.items()]
    sets = [f"{key} = {toml_value(value)}" for key, value in word.sets.items()]
    return ", ".join([*([word.key] if word.key else []), *adds, *sets])


def read_in_words(text: str) -> str:
    """The scheme that a line of Linux's words is here, as a scenario has it, and what is passed over.

    Of a configuration of OpenWrt's SQM, the queues up and down.
    """
    if is_sqm(text):
        return "\n\n".join(_of_sqm(each) for each in queues_of_sqm(text))
    queue = read(text)
    parameters = {"scheme": queue.scheme, **queue.parameters}
    _require_legal(" ".join(queue.words), parameters)
    lines = [f"{key} = {toml_value(value)}" for key, value in parameters.items()]
    return "\n".join([" ".join(queue.words), "", *lines, *([""] if queue.remarks else []), *queue.remarks])


def _require_legal(words: str, parameters: dict[str, Any]) -> None:
    """Checks parameters in front of a link that is faster than any shaper."""
    queue, key = {**parameters}, "dumbbell.queue."
    if queue["scheme"] != "cake" and not any(limit in queue for limit in ("limit_packets", "limit_bytes")):
        queue["limit_packets"] = 1_000
    flow = {"count": 1, "direction": "left-to-right", "base_rtt_ms": 1}
    link = {"rate_mbps": 1_000_000.0, "queue": queue}
    try:
        Scenario.of({"name": "line", "duration_s": 1, "dumbbell": link, "flows": [flow]})
    except ScenarioError as error:
        raise ScenarioError.of(error, f"{words}: {str(error).replace(key, '')}") from None


def _of_sqm(queue: SqmQueue) -> str:
    if not queue.line:
        return f"{queue.way}: no queue: its rate is 0"
    told = [f"{queue.way}: {read_in_words(queue.line)}"]
    if queue.shaper is not None:
        keys = ", ".join(f"{key} = {toml_value(value)}" for key, value in queue.shaper.items())
        told += ["", f"beside it, in a link of a topology: shaper = {{ {keys} }}"]
    return "\n".join([*told, *([queue.remark] if queue.remark else [])])
