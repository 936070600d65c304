"""Two configurations compared, replication by replication.

`compare(a, b)` pairs the results by seed: with common random numbers both saw the same users asking for the
same pages, so the difference of a pair is what the queue did. It refuses what cannot be paired.

>>> import aqmlab  # doctest: +SKIP
>>> print(aqmlab.compare(pi_results, drop_tail_results, names=("PI", "drop-tail")))  # doctest: +SKIP
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.statistics import (
    Band,
    Interval,
    Judgement,
    MissingDataError,
    NotEnoughReplications,
    completed_per_90_minutes,
    judge,
    judged_links,
    loss_percent,
    mean_interval,
    paired_band,
    sign_flip_p_value,
    throughput_mbps,
)
from aqmlab.statistics.pages import Pages
from aqmlab.statistics.quantities import PAGE_QUANTILES, Measured, page_quantile_s, restricted_mean_s
from aqmlab.terminal.spelling import counted, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantities import OfLinks, Quantity

    FloatArray = NDArray[np.float64]

UNTIL_S = 2.0
GRID_STEP_S = 0.005
QUANTILES = (0.10, 0.50, 0.90, 0.95, 0.99)
PAGES = tuple(page_quantile_s(share, Pages.FOLLOWED) for share in PAGE_QUANTILES)
"""Of the pages that began in the measured window."""
SAME_USERS = ("browsers", "servers", "model", "start", "minimum_delay_ms")
"""Settings of a population that both sides must share; those of hosts may differ (they negotiate ECN)."""


class ComparisonError(RefusalError):
    """The results cannot be paired; the message says which seed or which setting stands in the way."""


@dataclass(frozen=True)
class Levels:
    """A number on both sides and its difference, a minus b.

    Attributes:
        a: The mean over the replications of a; infinite where one of them has no such quantile.
        b: The same of b.
        difference: The mean difference with its interval, where every replication has both.
    """

    a: float
    b: float
    difference: Interval | NotEnoughReplications

    @classmethod
    def of(cls, a: Sequence[float], b: Sequence[float]) -> Levels:
        """The levels of some replications, in the same order."""
        left, right = np.asarray(a), np.asarray(b)
        exists = bool(np.isfinite(left).all() and np.isfinite(right).all())
        difference = mean_interval(left - right) if exists else NotEnoughReplications(have=0)
        return cls(float(left.mean()), float(right.mean()), difference)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: a level that does not exist is none."""
        a, b = (value if np.isfinite(value) else None for value in (self.a, self.b))
        return {"a": a, "b": b, "difference": self.difference.to_dict()}


@dataclass(frozen=True)
class Comparison:
    """Everything a paired comparison of a with b says; differences are a minus b.

    Attributes:
        names: What a and b are called.
        seeds: The replications, in order.
        window_s: Length of the measured window in seconds.
        time_s: The grid of times from 0 to 2 s.
        cdf_a: Mean distribution function of a at these times.
        cdf_b: The same of b.
        band: Simultaneous 95 % band of the mean difference of the distribution functions.
        judgement: The verdict on a, with its reason.
        sign_flip_p_value: Exact p-value of "no difference anywhere", which needs no Gaussian curves.
        restricted_mean_s: Difference of the mean of min(response time, 2 s), in seconds.
        quantiles_s: Difference of quantiles, in seconds, by share; without an interval where in some
            replication so many exchanges failed that there is no such quantile.
        pages_s: Quantiles of the page load time in seconds, of pages that began in the measured window, by
            share: those of a, of b, and their difference; empty where no page was recorded.
        links: The links that were judged: those that carry data, or those chosen.
        throughput_mbps: Difference of the link throughput, of the mean of the judged links.
        throughput_mbps_by_link: The same of each judged link.
        loss_percent: Difference of the loss ratio of the packets of all judged links, in percentage points.
        loss_percent_by_link: The same of each judged link.
        completed_per_90_minutes: Difference of completed exchanges.
    """

    names: tuple[str, str]
    seeds: tuple[int, ...]
    window_s: float
    time_s: FloatArray
    cdf_a: FloatArray
    cdf_b: FloatArray
    band: Band | NotEnoughReplications
    judgement: Judgement
    sign_flip_p_value: float
    restricted_mean_s: Interval | NotEnoughReplications
    quantiles_s: dict[float, Interval | NotEnoughReplications]
    pages_s: dict[float, Levels]
    links: tuple[str, ...]
    throughput_mbps: Interval | NotEnoughReplications
    throughput_mbps_by_link: dict[str, Interval | NotEnoughReplications]
    loss_percent: Interval | NotEnoughReplications
    loss_percent_by_link: dict[str, Interval | NotEnoughReplications]
    completed_per_90_minutes: Interval | NotEnoughReplications

    def within(self, from_s: float, until_s: float, *, widened: float = 1.0) -> Judgement:
        """The verdict on the responses that take between two times (seconds), with a wider band if asked."""
        if isinstance(self.band, NotEnoughReplications):
            return judge(self.band)
        keep = (self.time_s >= from_s) & (self.time_s <= until_s)
        band = self.band.between(from_s, until_s)
        return judge(band if widened == 1.0 else band.widened(widened), responses=self.responses[keep])

    @property
    def responses(self) -> FloatArray:
        """Mean of both distribution functions at the grid's times: which responses a range holds."""
        return np.asarray((self.cdf_a + self.cdf_b) / 2.0)

    @property
    def difference(self) -> FloatArray:
        """Mean difference of the distribution functions at the grid's times."""
        return np.asarray(self.cdf_a - self.cdf_b)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the difference with its band; into `axes`, or new ones."""
        from aqmlab.figures.difference import draw_difference  # noqa: PLC0415 (figures are loaded when drawn)

        return draw_difference(self, axes)

    def _repr_html_(self) -> str:
        """What notebooks show: the verdict, the difference with its band, and every number in words."""
        from aqmlab.figures.style import figure_of, settle, svg_text  # noqa: PLC0415 (loaded when drawn)

        drawn = svg_text(settle(figure_of(self.plot())))
        return f"{drawn}\n<pre>{html.escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "a": self.names[0],
            "b": self.names[1],
            "seeds": list(self.seeds),
            "window_s": self.window_s,
            "verdict": str(self.judgement.verdict),
            "reason": self.judgement.reason,
            "crossing_s": self.judgement.crossing_s,
            "sign_flip_p_value": self.sign_flip_p_value,
            "restricted_mean_s": self.restricted_mean_s.to_dict(),
            "quantiles_s": {str(share): value.to_dict() for share, value in self.quantiles_s.items()},
            "pages_s": {str(share): levels.to_dict() for share, levels in self.pages_s.items()},
            "links": list(self.links),
            "throughput_mbps": self.throughput_mbps.to_dict(),
            "throughput_mbps_by_link": _each_to_dict(self.throughput_mbps_by_link),
            "loss_percent": self.loss_percent.to_dict(),
            "loss_percent_by_link": _each_to_dict(self.loss_percent_by_link),
            "completed_per_90_minutes": self.completed_per_90_minutes.to_dict(),
            "time_s": self.time_s.tolist(),
            "difference": self.difference.tolist(),
            "band": _band_to_dict(self.band),
        }

    def __repr__(self) -> str:
        a, b = self.names
        return f"Comparison({a!r}, {b!r}, {counted(len(self.seeds), 'seed')}: {self.judgement.verdict})"

    def __str__(self) -> str:
        a, b = self.names
        replications = f"{len(self.seeds)} replications of {self.window_s:g} s"
        lines = [
            f"{a} against {b}: {self.judgement.verdict}",
            f"  {self.judgement.reason}",
            f"  {replications}; p of no difference (sign changes) {self.sign_flip_p_value:.3g}",
            *self._page_lines(),
            f"  response time up to 2 s, mean  {_shown(self.restricted_mean_s, 1000.0, 'ms')}",
        ]
        lines += [
            f"  {f'{share:.0%} quantile':<29}  {_shown(value, 1000.0, 'ms')}"
            for share, value in self.quantiles_s.items()
        ]
        lines += self._link_lines("throughput", self.throughput_mbps, self.throughput_mbps_by_link, "Mbit/s")
        lines += self._link_lines("loss", self.loss_percent, self.loss_percent_by_link, "points")
        lines += [
            f"  {'completed per 90 minutes':<29}  {_shown(self.completed_per_90_minutes, 1e-6, 'million')}",
        ]
        return "\n".join(lines)

    def _page_lines(self) -> list[str]:
        """What became of the time that people wait for a page, on both sides."""
        a, b = self.names
        return [
            f"  {f'pages loaded, {share:.0%} within':<29}  {a} {levels.a:.3g} s, {b} {levels.b:.3g} s: "
            f"{_shown(levels.difference, 1000.0, 'ms')}"
            for share, levels in self.pages_s.items()
        ]

    def _link_lines(
        self,
        what: str,
        overall: Interval | NotEnoughReplications,
        by_link: dict[str, Interval | NotEnoughReplications],
        unit: str,
    ) -> list[str]:
        """The difference on the judged link; of several, how they are put together, then each."""
        if len(self.links) == 1:
            return [f"  {f'{what} of {self.links[0]}':<29}  {_shown(overall, 1.0, unit)}"]
        together = {"throughput": "mean of", "loss": "pooled over"}[what]
        return [
            f"  {f'{what}, {together} {len(self.links)} links':<29}  {_shown(overall, 1.0, unit)}",
            *(f"  {f'  of {name}':<29}  {_shown(value, 1.0, unit)}" for name, value in by_link.items()),
        ]


def compare(
    a: Sequence[Recorded],
    b: Sequence[Recorded],
    *,
    names: tuple[str, str] = ("a", "b"),
    same_users: bool = True,
    links: Sequence[str] = (),
    population: str | None = None,
) -> Comparison:
    """Compares two configurations over the same replications.

    Args:
        a: Results of one configuration, one per seed, in any order.
        b: Results of the other, of the same seeds.
        names: What the two are called in print.
        same_users: Whether other users on one side are refused; only a comparison of loads lifts this.
        links: The links whose throughput and loss are compared; by default those that carry data.
        population: The population whose response times are compared; by default all of them together.

    Raises:
        ComparisonError: Seeds are unpaired or repeated, windows, users or links that carry data differ, or a
            run has no response.
        UnknownLinkError: A link is not monitored.
    """
    pairs = paired(a, b, same_users=same_users)
    judged = same_links(pairs, links)
    grid = np.linspace(0.0, UNTIL_S, round(UNTIL_S / GRID_STEP_S) + 1)
    left, right = ([Measured(pair[side], judged, population=population) for pair in pairs] for side in (0, 1))
    runs = list(zip(left, right, strict=True))
    _require_responses(runs, names)
    curves_a = np.array([left.times.cdf(grid) for left, _ in runs])
    curves_b = np.array([right.times.cdf(grid) for _, right in runs])
    band = paired_band(curves_a - curves_b, time_s=grid)
    cdf_a, cdf_b = curves_a.mean(axis=0), curves_b.mean(axis=0)
    return Comparison(
        names=names,
        seeds=tuple(int(left.run["seed"]) for left, _ in pairs),
        window_s=_window(pairs[0][0])[1] - _window(pairs[0][0])[0],
        time_s=grid,
        cdf_a=cdf_a,
        cdf_b=cdf_b,
        band=band,
        judgement=judge(band, responses=(cdf_a + cdf_b) / 2.0),
        sign_flip_p_value=sign_flip_p_value(curves_a - curves_b),
        restricted_mean_s=_difference(runs, restricted_mean_s(UNTIL_S)),
        quantiles_s=_quantile_differences(runs),
        pages_s=_pages(runs),
        links=judged,
        throughput_mbps=_difference(runs, throughput_mbps),
        throughput_mbps_by_link=_each_difference(runs, throughput_mbps),
        loss_percent=_difference(runs, loss_percent),
        loss_percent_by_link=_each_difference(runs, loss_percent),
        completed_per_90_minutes=_difference(runs, completed_per_90_minutes),
    )


def paired(
    a: Sequence[Recorded],
    b: Sequence[Recorded],
    *,
    names: tuple[str, str] = ("a", "b"),
    same_users: bool = True,
) -> list[tuple[Recorded, Recorded]]:
    """The results of both sides by seed, in the order of the seeds.

    Raises:
        ComparisonError: Seeds are unpaired or repeated, or windows or users differ.
    """
    left, right = _by_seed(a, names[0]), _by_seed(b, names[1])
    if left.keys() != right.keys():
        only = (sorted(left.keys() - right.keys()), sorted(right.keys() - left.keys()))
        said = ", ".join(f"only in {name} {seeds or 'none'}" for name, seeds in zip(names, only, strict=True))
        raise ComparisonError(f"seeds are unpaired: {said}")
    pairs = [(left[seed], right[seed]) for seed in sorted(left)]
    for pair in pairs:
        _require_same_window(pair, names)
        if same_users:
            _require_same_users(pair, names)
    windows = {_window(one) for one, _ in pairs}
    if len(windows) > 1:
        raise ComparisonError(f"replications were measured over different windows: {sorted(windows)}")
    return pairs


def _by_seed(results: Sequence[Recorded], side: str) -> dict[int, Recorded]:
    if isinstance(results, Mapping | str) or not isinstance(results, Iterable):
        raise ComparisonError(f"{side}: a list of results, one for each seed, not {quoted(results)}")
    if not results:
        raise ComparisonError(f"there is no result in {side}")
    for result in results:
        if not isinstance(getattr(result, "run", None), Mapping):
            raise ComparisonError(f"{side}: a list of results, one for each seed, not of {quoted(result)}")
    seeds = Counter(int(result.run["seed"]) for result in results)
    repeated = sorted(seed for seed, count in seeds.items() if count > 1)
    if repeated:
        raise ComparisonError(f"seeds {repeated} are in {side} more than once: a replication counts once")
    return {int(result.run["seed"]): result for result in results}


def _require_same_window(pair: tuple[Recorded, Recorded], names: tuple[str, str]) -> None:
    (one, other), (a, b) = pair, names
    seed = one.run["seed"]
    if _window(one) != _window(other):
        raise ComparisonError(
            f"seed {seed}: measured over {_window(one)} s in {a} but {_window(other)} s in {b}"
        )
    left, right = (result.run["scenario"].get("duration_s") for result in pair)
    if left != right:
        raise ComparisonError(
            f"seed {seed}: duration_s is {left} in {a} but {right} in {b}; pages are followed to the end"
        )
    if _response_end(one) != _response_end(other):
        raise ComparisonError(
            f"seed {seed}: record.response_end differs between {a} and {b}: two kinds of response time"
        )


def _require_same_users(pair: tuple[Recorded, Recorded], names: tuple[str, str]) -> None:
    (one, other), (a, b) = pair, names
    seed = one.run["seed"]
    if _users(one) != _users(other):
        raise ComparisonError(
            f"seed {seed}: {_users(one)} in {a} but {_users(other)} in {b}; the same users must be compared"
        )
    left, right = _populations(one), _populations(other)
    for name in left.keys() | right.keys():
        for setting in SAME_USERS:
            if left.get(name, {}).get(setting) != right.get(name, {}).get(setting):
                raise ComparisonError(f"seed {seed}: {name}.{setting} differs between {a} and {b}")


def _require_responses(runs: Sequence[tuple[Measured, Measured]], names: tuple[str, str]) -> None:
    for pair in runs:
        for run, name in zip(pair, names, strict=True):
            if run.times.ended == 0:
                raise ComparisonError(
                    f"{name}, seed {run.result.run['seed']}: no exchange ended in the measured window; "
                    "legal: runs with users and a window that some of their responses fall into"
                )


def _response_end(result: Recorded) -> str:
    return str(result.run["scenario"].get("record", {}).get("response_end", "last_byte"))


def _window(result: Recorded) -> tuple[float, float]:
    return float(result.run["measured_from_s"]), float(result.run["measured_until_s"])


def _users(result: Recorded) -> str:
    return (
        ", ".join(f"{entry['users']} users {entry['name']}" for entry in result.run["populations"])
        or "no users"
    )


def _populations(result: Recorded) -> dict[str, Mapping[str, object]]:
    """What the scenario says of its users, by the place where it says it."""
    scenario = result.run["scenario"]
    sides = {"users": scenario["users"]} if scenario.get("users") else {}
    return sides | {f"populations.{each['name']}": each for each in scenario.get("populations", ())}


def _difference(
    runs: Sequence[tuple[Measured, Measured]], quantity: Quantity
) -> Interval | NotEnoughReplications:
    return mean_interval([quantity.of(left) - quantity.of(right) for left, right in runs])


def _each_difference(
    runs: Sequence[tuple[Measured, Measured]], quantity: OfLinks
) -> dict[str, Interval | NotEnoughReplications]:
    """The difference on each judged link, which are the same on both sides."""
    values: dict[str, list[float]] = {}
    for left, right in runs:
        for one, other in zip(left.links, right.links, strict=True):
            values.setdefault(one["name"], []).append(quantity.of_link(one) - quantity.of_link(other))
    return {name: mean_interval(each) for name, each in values.items()}


def same_links(pairs: Sequence[tuple[Recorded, Recorded]], links: Sequence[str]) -> tuple[str, ...]:
    """The names of the judged links, which must be one list for all results."""
    of_results = {
        tuple(link["name"] for link in judged_links(result, links)) for pair in pairs for result in pair
    }
    if len(of_results) > 1:
        lists = " and ".join(", ".join(names) for names in sorted(of_results))
        raise ComparisonError(f"other links carry data in other results ({lists}): choose them with links=")
    (judged,) = of_results
    return judged


def _each_to_dict(
    values: dict[str, Interval | NotEnoughReplications],
) -> dict[str, dict[str, float | int | None]]:
    return {name: dict(value.to_dict()) for name, value in values.items()}


def _quantile_differences(
    runs: Sequence[tuple[Measured, Measured]],
) -> dict[float, Interval | NotEnoughReplications]:
    def quantiles(share: float, side: int) -> list[float]:
        return [pair[side].times.quantile(share) for pair in runs]

    return {share: Levels.of(quantiles(share, 0), quantiles(share, 1)).difference for share in QUANTILES}


def _pages(runs: Sequence[tuple[Measured, Measured]]) -> dict[float, Levels]:
    """Empty where a run recorded no pages, or none began in its window."""
    try:
        sides = [[[quantity.of(pair[side]) for pair in runs] for side in (0, 1)] for quantity in PAGES]
    except MissingDataError:
        return {}
    return {share: Levels.of(*each) for share, each in zip(PAGE_QUANTILES, sides, strict=True)}


def _band_to_dict(band: Band | NotEnoughReplications) -> dict[str, Any]:
    if isinstance(band, NotEnoughReplications):
        return dict(band.to_dict())
    return {
        "confidence": band.confidence,
        "critical_value": band.critical_value,
        "path_length": band.path_length,
        "lower": band.lower.tolist(),
        "upper": band.upper.tolist(),
    }


def _shown(value: Interval | NotEnoughReplications, factor: float, unit: str) -> str:
    if isinstance(value, Interval):
        bounds = f"[{value.lower * factor:+.4g}, {value.upper * factor:+.4g}]"
        return f"{value.mean * factor:+.4g} {unit} {bounds}"
    if value.mean is None:
        return str(value)
    return f"{value.mean * factor:+.4g} {unit} (no interval: {value})"
