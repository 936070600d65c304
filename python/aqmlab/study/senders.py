"""Which queue for which sender: downloads by congestion controls, alone and in pairs, in each queue.

The scenario's endless flows that fill the way down are replaced by one flow of each sender of a pair;
everything else of the scenario stays, a call among it. In a network of other nodes the way is that of the
first endless flow.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from itertools import combinations_with_replacement
from statistics import fmean
from typing import TYPE_CHECKING, Any

from aqmlab import arguments, shown
from aqmlab.comparison import configurations
from aqmlab.errors import ComparisonError, ScenarioError
from aqmlab.inference import mean_interval
from aqmlab.load.controllers import ParametrizedController, require_acts_alone, require_one_edition
from aqmlab.runs import Job, run_each
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.tidy import Tidy, tidy_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from aqmlab.inference import Interval, NotEnoughReplications
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike

FIRST, SECOND = "first", "second"
PROFILE = "linux6-cubic"
"""The hosts, whatever their congestion control."""
_DOWN = ("down", "left-to-right")
_OF_ITS_SENDER = {
    "accurate_ecn_option",
    "answers_marks",
    "classic_ecn_fallback",
    "classic_ecn_fallback_everywhere",
    "continuous_mark_test",
}
"""What a host may have only with the congestion control that it had."""


@dataclass(frozen=True)
class Met:
    """What became of one sender alone, or of two that share the line.

    Attributes:
        queue: The queue discipline.
        senders: One or two.
        by_seed: By seed the goodput of each, in Mbit/s, and the 95th percentile of the call's delay in ms,
            which is absent where the scenario has no datagrams down.
    """

    queue: str
    senders: tuple[str, ...]
    by_seed: Mapping[int, Mapping[str, float]]

    def mean(self, name: str) -> float | None:
        """The mean of a number over the seeds."""
        values = self._values(name)
        return fmean(values) if values else None

    def interval(self, name: str) -> Interval | NotEnoughReplications | None:
        """The same with its 95 % interval; none where no seed has the number."""
        values = self._values(name)
        return mean_interval(values) if values else None

    def share(self, sender: str) -> float:
        """What a sender gets of what both get; its mean over the seeds."""
        return fmean(self._shares(sender))

    def share_interval(self, sender: str) -> Interval | NotEnoughReplications:
        """The same with its 95 % interval."""
        return mean_interval(self._shares(sender))

    def _values(self, name: str) -> list[float]:
        return [numbers[name] for numbers in self.by_seed.values() if name in numbers]

    def _shares(self, sender: str) -> list[float]:
        own = FIRST if sender == self.senders[0] else SECOND
        both = [numbers[f"{FIRST}_mbps"] + numbers[f"{SECOND}_mbps"] for numbers in self.by_seed.values()]
        mine = [numbers[f"{own}_mbps"] for numbers in self.by_seed.values()]
        return [a / b if b else 0.5 for a, b in zip(mine, both, strict=True)]


@dataclass(frozen=True, repr=False)
class SenderMatrix(shown.Shown, Tidy):
    """Senders alone and in pairs, in each queue.

    Attributes:
        senders: The senders, as asked.
        queues: The queue disciplines.
        met: What became of each, by queue and senders.
        call: The group of datagrams whose delay was measured; empty without one.
        seeds: The seeds.
        transport: What carries the downloads, that of the scenario's: `tcp` or `quic`.
    """

    senders: tuple[str, ...]
    queues: tuple[str, ...]
    met: Mapping[tuple[str, tuple[str, ...]], Met]
    call: str
    seeds: tuple[int, ...]
    transport: str

    def alone(self, queue: str, sender: str) -> Met:
        """What became of a sender alone."""
        return self.met[queue, (sender,)]

    def share(self, queue: str, sender: str, beside: str) -> float:
        """What a sender gets beside another, of what both get: 0.5 is half."""
        return self._pair(queue, sender, beside).share(sender)

    def share_interval(self, queue: str, sender: str, beside: str) -> Interval | NotEnoughReplications:
        """The same with its 95 % interval; the mean alone of fewer than six seeds."""
        return self._pair(queue, sender, beside).share_interval(sender)

    def _pair(self, queue: str, sender: str, beside: str) -> Met:
        pair = next(each for each in ((sender, beside), (beside, sender)) if (queue, each) in self.met)
        return self.met[queue, pair]

    def to_arrow(self) -> pa.Table:
        """One row for each queue, senders, seed and number: the columns of `aqmlab.frame`."""
        return tidy_numbers(
            (f"{each.queue}: {' beside '.join(each.senders)}", seed, dict(numbers))
            for each in self.met.values()
            for seed, numbers in each.by_seed.items()
        )

    def __repr__(self) -> str:
        return f"SenderMatrix({', '.join(self.senders)}; {', '.join(self.queues)})"


@arguments.checked(
    ComparisonError,
    senders=arguments.texts("['cubic', 'bbr-linux-v3']"),
    schemes=arguments.schemes,
    seeds=given_seeds,
    store=arguments.optional(arguments.folder),
)
def senders(
    scenario: ScenarioLike,
    senders: Sequence[str],
    *,
    schemes: Sequence[str] = (),
    queue_in: str | None = None,
    seeds: Iterable[int] | str = (1, 2),
    overrides: Mapping[str, object] | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> SenderMatrix:
    """Runs downloads by different congestion controls, alone and in pairs, in each queue.

    They go over the transport of the flow whose place they take.

    Args:
        scenario: A scenario with a flow that never ends, down a line, from left to right, or between any two
            groups of machines: the first one's way is meant.
        senders: Congestion controls, such as cubic and bbr-linux-v3, perhaps with keys of their hosts,
            `cubic:pacing=true`; or in files, `my_aimd.py:Aimd:left_share=0.7`.
        schemes: Queue disciplines; by default the scenario's own, PIE, FQ-CoDel and CAKE.
        queue_in: Of a scenario with a [line], whose queues they are: router, router-unshaped, modem, provider
            or line.
        seeds: Random seeds to run.
        overrides: Dotted keys with the values that replace the scenario's.
        store: A folder for finished runs by content.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        What each gets beside each other, and how long a call's packets take.

    Raises:
        RefusalError: A sender has several editions.
        ComparisonError: There is no such flow, or a sender is refused or named twice.
        ScenarioError: The scenario or a scheme is refused.
        RunError: A run failed; finished runs are kept.
    """
    if not senders or len(set(senders)) < len(senders):
        given = ", ".join(senders) or "none"
        raise ComparisonError(f"senders: one or more, each once, not {given}", place="senders")
    for sender in senders:
        require_acts_alone("senders", sender)
        require_one_edition("senders", sender)
        _asked(sender)
    own = Scenario.of(scenario, overrides=overrides)
    queues = configurations(own, schemes, queue_in=queue_in)
    pairs = [(each,) for each in senders] + [*combinations_with_replacement(senders, 2)]
    asked = [(queue, pair, with_senders(each, pair)) for queue, each in queues.items() for pair in pairs]
    plan = [(queue, pair, Job(each, seed)) for queue, pair, each in asked for seed in Seeds.of(seeds)]
    call = _call(own)
    found: dict[tuple[str, tuple[str, ...]], dict[int, dict[str, float]]] = {}
    jobs = [job for *_, job in plan]
    for place, result in run_each(
        jobs, workers=workers, store=store, executor=executor, progress=progress, label="senders"
    ):
        queue, pair, job = plan[place]
        found.setdefault((queue, pair), {})[job.seed] = dict(_numbers(result, pair, call))
    met = {key: Met(*key, dict(sorted(numbers.items()))) for key, numbers in sorted(found.items())}
    return SenderMatrix(
        tuple(senders), tuple(queues), met, call, tuple(Seeds.of(seeds)), _transport_of_downloads(own)
    )


def _asked(sender: str) -> ParametrizedController:
    try:
        return ParametrizedController.of(sender)
    except ScenarioError as error:
        raise ComparisonError(f"senders: {error}", place="senders") from None


def with_senders(scenario: Scenario, pair: Sequence[str]) -> Scenario:
    """The scenario with a flow of each sender in the place of its endless flows down."""
    document: dict[str, Any] = copy.deepcopy(scenario.resolved)
    flows = document.get("flows", [])
    is_download = _downloads_of(flows)
    if is_download is None:
        raise ComparisonError(
            f"{scenario.name}: no flow that never ends goes down a line, from left to right or between "
            "groups of machines, whose sender could be another; legal: a [[flows]] without bytes that does",
            place="senders",
        )
    template = next(each for each in flows if is_download(each))
    place = flows.index(template)
    asked = [_asked(sender) for sender in pair]
    named = [each.congestion for each in asked]
    host = {
        key: value
        for key, value in template["host"].items()
        if value is not None and key not in _OF_ITS_SENDER
    }
    document["flows"] = [
        *(each for each in flows[:place] if not is_download(each)),
        *(
            {**template, "name": name, "count": 1, "profile": PROFILE, "host": {**host, "congestion": own}}
            for name, own in zip((FIRST, SECOND), named, strict=False)
        ),
        *(each for each in flows[place:] if not is_download(each)),
    ]
    document["name"] = f"{scenario.name}, {' beside '.join(pair)}"
    _forget_files(document)
    began = sum(not is_download(each) for each in flows[:place])
    settings = {
        f"flows.{began + number}.host.{key}": value
        for number, each in enumerate(asked)
        for key, value in each.host.items()
    }
    try:
        return Scenario.of(_without_absent(document), overrides=settings)
    except ScenarioError as error:
        raise ComparisonError(f"senders: {' beside '.join(pair)}: {error}", place="senders") from None


def _forget_files(document: dict[str, Any]) -> None:
    """Leaves out the texts of files that only the controller of a replaced flow named."""
    named = json.dumps({**document, "files": None}, ensure_ascii=False)
    document["files"] = {
        file: text
        for file, text in document.get("files", {}).items()
        if f'"{file}:' in named or f'"{file}"' in named
    }


def _without_absent(value: Any) -> Any:  # noqa: ANN401 (a document)
    if isinstance(value, dict):
        return {key: _without_absent(each) for key, each in value.items() if each is not None}
    return [_without_absent(each) for each in value] if isinstance(value, list) else value


def _downloads_of(flows: Sequence[Mapping[str, Any]]) -> Callable[[Mapping[str, Any]], bool] | None:
    """Which flows are downloads: all endless ones down, or else on the way of the first; none without."""
    endless = [each for each in flows if each.get("bytes") is None]
    if any(map(_goes_down, endless)):
        return lambda flow: flow.get("bytes") is None and _goes_down(flow)
    ways = [_ends(each) for each in endless if None not in _ends(each)]
    return (lambda flow: flow.get("bytes") is None and _ends(flow) == ways[0]) if ways else None


def _transport_of_downloads(scenario: Scenario) -> str:
    """What carries the first download, and so those in the place of all."""
    flows = scenario.resolved["flows"]
    is_download = _downloads_of(flows) or _goes_down
    return str(next(each for each in flows if is_download(each)).get("transport", "tcp"))


def _goes_down(group: Mapping[str, Any]) -> bool:
    return group.get("direction") in _DOWN or group.get("senders") == "internet"


def _ends(group: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Between which groups of machines it goes."""
    return group.get("senders"), group.get("receivers")


def _call(scenario: Scenario) -> str:
    """The first datagrams that go the way of the download."""
    flows, groups = (scenario.resolved.get(key, []) for key in ("flows", "datagrams"))
    is_download = _downloads_of(flows) or _goes_down
    ways = {_ends(each) for each in flows if is_download(each)} - {(None, None)}
    same_way = (each for each in groups if _goes_down(each) or _ends(each) in ways)
    return next((str(each["name"]) for each in same_way), "")


def _numbers(result: Result, pair: Sequence[str], call: str) -> Iterator[tuple[str, float]]:
    for name, _ in zip((FIRST, SECOND), pair, strict=False):
        yield f"{name}_mbps", result.value(f"goodput_mbps/flows.{name}")
    if call:
        yield "call_delay_p95_ms", result.value(f"delay_p95_ms/datagrams.{call}")
