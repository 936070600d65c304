"""A demand for which a short run offers exactly its nominal load.

Heavy tails make the load of a short run random: the same 8,568 users may offer 80 or 100 Mbit/s in five
minutes, depending on which huge transfers fall into them. So for each seed the users are counted out
until the uncongested twin of the same seed and window offers the nominal load at the bottleneck.

What a user does depends on the user's number and not on how many there are. One run of the twin with more
users than needed, recording each user's bytes, therefore tells what *any* smaller number would offer:
cumulative sums over users. The numbers closest to the load are looked up, run once to verify, and corrected
while they miss (users do affect one another a little even on an uncongested link). The verified twin is the
uncongested run that all schemes of this seed and load are compared with.

Where both directions of the bottleneck carry data and each population's data take one of them, there are two
numbers to find, one for the populations of each direction, and both directions are matched. Otherwise all
populations are turned together. A bottleneck is the pair of nodes that the demand loads most.

A single user may fetch more within the window than the tolerance. Then no number of users may offer the load;
if both directions together can still be met, their mean is matched, and otherwise the nearest numbers are
taken with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import CalibrationError
from aqmlab.files.columns import to_numpy
from aqmlab.load.demand import USERS, Bottleneck, Demand, carrying_links
from aqmlab.load.line import BITS_PER_MBIT
from aqmlab.statistics import measured_window_s, throughput_mbps
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aqmlab.load.calibration import Runner
    from aqmlab.result import Result
    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]
    Numbers = tuple[int, ...]

TOLERANCE = 0.005
ATTEMPTS = 4
RESERVE = 1.3
"""Factor of users in the first run of a seed over the rule of thumb."""
SURVEYS = 4
BOTH_DIRECTIONS = 2


@dataclass(frozen=True)
class Knobs:
    """What is turned to load a bottleneck: all of the demand, or for each direction the part that loads it.

    Attributes:
        demand: The demand.
        bottleneck: What is loaded.
        turned: Parts of the demand that one number each turns, together the whole of it.
    """

    demand: Demand
    bottleneck: Bottleneck
    turned: tuple[Demand, ...]

    @classmethod
    def of(cls, demand: Demand, bottleneck: Bottleneck, size: int) -> Knobs:
        """One knob for each of two directions, if every part's data take one of them; otherwise one."""
        scenario, names = demand.at(size), [link.name for link in bottleneck.links]
        by_part = {
            part.name: [link.name for link in carrying_links(scenario, [part.name]) if link.name in names]
            for part in demand.parts
            if part.size or not demand.size
        }
        if len(names) < BOTH_DIRECTIONS or any(len(links) != 1 for links in by_part.values()):
            return cls(demand, bottleneck, (demand,))
        by_link: dict[str, list[str]] = {}
        for name, (link,) in by_part.items():
            by_link.setdefault(link, []).append(name)
        turned = tuple(
            replace(demand, parts=tuple(part for part in demand.parts if part.name in own))
            for own in by_link.values()
        )
        return cls(demand, bottleneck, turned)

    def sizes(self, numbers: Numbers) -> dict[str, int]:
        """The size of every part where the knobs stand at these numbers."""
        sizes = {part.name: 0 for part in self.demand.parts}
        for knob, number in zip(self.turned, numbers, strict=True):
            sizes |= knob.sizes(number)
        return sizes


@dataclass(frozen=True)
class Survey:
    """What the first n users of each population offer each link, for every n up to those that ran.

    Attributes:
        seed: The replication.
        offered_mbps: By the name of a part and a link: the load in Mbit/s of its first n users, at n.
        others_mbps: By link, the load of all other users.
    """

    seed: int
    offered_mbps: Mapping[tuple[str, str], FloatArray]
    others_mbps: Mapping[str, float]

    def load_mbps(self, sizes: Mapping[str, int]) -> dict[str, float]:
        """Predicted load of every link where the parts have these sizes."""
        return {
            link: others + sum(float(self.offered_mbps[part, link][size]) for part, size in sizes.items())
            for link, others in self.others_mbps.items()
        }

    @property
    def users(self) -> dict[str, int]:
        """Users of each part that ran."""
        return {part: sums.size - 1 for (part, _), sums in self.offered_mbps.items()}

    def sums(self, knob: Demand, link: str) -> FloatArray:
        """What a knob's users offer a link, for every number that it may stand at."""
        most = max(self.users[part.name] for part in knob.parts)
        at = [knob.sizes(number) for number in range(most + 1)] if len(knob.parts) > 1 else None
        of_parts = [
            self.offered_mbps[part.name, link]
            if at is None
            else self.offered_mbps[part.name, link][[sizes[part.name] for sizes in at]]
            for part in knob.parts
        ]
        return np.asarray(sum(of_parts))


@dataclass(frozen=True)
class MatchedLoad:
    """The users that offer a nominal load with one seed, as verified by a run.

    Attributes:
        seed: The replication.
        nominal_percent: The load's label: per cent of what the bottleneck carries.
        nominal_mbps: The same in Mbit/s at the frame layer.
        sizes: Users of every part of the demand.
        realised_mbps: What the uncongested twin carried over each of the bottleneck's links.
        attempts: Runs of the twin until it fitted.
        twin: The verified uncongested run.
        warnings: What a reader should know, if anything.
    """

    seed: int
    nominal_percent: float
    nominal_mbps: float
    sizes: Mapping[str, int]
    realised_mbps: Mapping[str, float]
    attempts: int
    twin: Result
    warnings: tuple[str, ...] = ()

    @property
    def errors(self) -> dict[str, float]:
        """Relative error of the load of each link."""
        return {name: load / self.nominal_mbps - 1.0 for name, load in self.realised_mbps.items()}

    @property
    def mean_error(self) -> float:
        """Relative error of the mean of both directions."""
        return float(np.mean(list(self.realised_mbps.values()))) / self.nominal_mbps - 1.0

    @property
    def realised_percent(self) -> float:
        """The realised load, mean of the directions, in per cent of the bottleneck's rate."""
        return self.nominal_percent * (1.0 + self.mean_error)

    def to_dict(self) -> dict[str, object]:
        """Both loads for the record of every run with these users."""
        return {
            "nominal_percent": self.nominal_percent,
            "nominal_mbps": self.nominal_mbps,
            "realised_mbps": dict(self.realised_mbps),
            "realised_percent": self.realised_percent,
            "demand": dict(self.sizes),
            "matched_to": "its own uncongested twin",
            "attempts": self.attempts,
            "warnings": list(self.warnings),
        }


def match_loads(
    demand: Demand,
    *,
    loads_percent: Sequence[float],
    seeds: Sequence[int],
    size_at_100_percent: int,
    run: Runner,
    tolerance: float = TOLERANCE,
) -> dict[tuple[float, int], MatchedLoad]:
    """Finds the users of every load and seed; the answer is keyed by both."""
    if demand.unit != USERS:
        raise CalibrationError(f"demand {demand}: only loads of users can be matched")
    first_guess = round(size_at_100_percent * max(loads_percent) / 100.0 * RESERVE)
    bottlenecks = _bottlenecks_of(demand, first_guess)
    surveys = survey_users(
        demand, bottlenecks, seeds=seeds, load=max(loads_percent) / 100.0, size=first_guess, run=run
    )
    tightest = max(bottlenecks, key=lambda each: sum(_full_load(each, own) for own in surveys.values()))
    knobs = Knobs.of(demand, tightest, first_guess)
    wanted = [(load, tightest.capacity_mbps * load / 100.0, seed) for load in loads_percent for seed in seeds]
    return verify(knobs, surveys, wanted, run=run, tolerance=tolerance)


def _bottlenecks_of(demand: Demand, size: int) -> Sequence[Bottleneck]:
    """What is loaded: where as many users look one way as the other, both directions alike.

    Where the scenario says that more look one way, they keep their ratio, and the fuller direction decides.
    """
    bottlenecks = demand.bottlenecks(size)
    if len({part.size for part in demand.parts}) == 1:
        return bottlenecks
    return [way for each in bottlenecks for way in each.directions]


def survey_users(
    demand: Demand,
    bottlenecks: Sequence[Bottleneck],
    *,
    seeds: Sequence[int],
    load: float,
    size: int,
    run: Runner,
) -> dict[int, Survey]:
    """Runs each seed's twin with enough users for a load, a share of a bottleneck's rate, and surveys it."""
    surveys: dict[int, Survey] = {}
    missing = list(seeds)
    links = [link.name for each in bottlenecks for link in each.links]
    for _ in range(SURVEYS):
        twin = demand.twin_of(demand.at(size))
        twin = twin.with_overrides({"record.users": True, "record.responses": "none"})
        results = run([(twin, seed) for seed in missing], "users and their load")
        surveys |= {int(result.run["seed"]): take_survey(result, demand, links) for result in results}
        missing = [
            seed
            for seed in missing
            if max(_full_load(each, surveys[seed], weakest=True) for each in bottlenecks) < load
        ]
        if not missing:
            return surveys
        size = round(size * RESERVE)
    each = " and ".join(
        f"{load * bottleneck.capacity_mbps:g} Mbit/s ({bottleneck.name})" for bottleneck in bottlenecks
    )
    raise CalibrationError(f"seeds {missing}: {size} users do not offer {each}")


def _full_load(bottleneck: Bottleneck, survey: Survey, *, weakest: bool = False) -> float:
    """What all surveyed users offer a bottleneck's fullest or weakest direction, of what it carries."""
    loads = bottleneck.loads(survey.load_mbps(survey.users))
    return min(loads.values()) if weakest else max(loads.values())


def take_survey(result: Recorded, demand: Demand, links: Sequence[str]) -> Survey:
    """Cumulative load of users from the table `users` of one run."""
    rows = table(result, "users", setting="record.users = true")
    user, caused_bytes = to_numpy(rows["user"]), to_numpy(rows["bytes"]).astype(np.float64)
    to_mbps = 8.0 / measured_window_s(result) / BITS_PER_MBIT
    ran = {entry["name"]: int(entry["users"]) for entry in result.run["populations"]}
    on_link = {link: has_name(rows, "link", link) for link in links}
    others = {link: float(caused_bytes[own].sum()) for link, own in on_link.items()}
    offered: dict[tuple[str, str], FloatArray] = {}
    for part in demand.parts:
        population = part.name.partition(".")[2]
        of_part = has_name(rows, "population", population)
        for link, own in on_link.items():
            each = np.bincount(
                user[own & of_part], weights=caused_bytes[own & of_part], minlength=ran[population]
            )
            others[link] -= float(each.sum())
            offered[part.name, link] = np.concatenate(([0.0], np.cumsum(each) * to_mbps))
    return Survey(int(result.run["seed"]), offered, {link: rest * to_mbps for link, rest in others.items()})


def choose_numbers(
    knobs: Knobs, survey: Survey, *, targets_mbps: Mapping[str, float], tolerance: float
) -> Numbers:
    """Where the knobs have to stand for predicted loads that come closest to the targets, by link.

    First choice: the numbers with the smallest larger error of the two directions. Where that exceeds the
    tolerance, those with the smallest error of the mean among those close to the best.
    """
    links = [link.name for link in knobs.bottleneck.links]
    targets = np.array([targets_mbps[link] - survey.others_mbps[link] for link in links])
    if not (targets > 0.0).all():
        raise CalibrationError(f"seed {survey.seed}: other users alone offer more than {targets_mbps} Mbit/s")
    sums = [np.array([survey.sums(knob, link) for link in links]) for knob in knobs.turned]
    if len(sums) == 1:
        numbers = np.arange(sums[0].shape[1])[np.newaxis]
        loads = sums[0]
    else:
        # With a larger second number both directions grow, so for a given first one the larger error is
        # smallest next to where the errors of the two directions cancel.
        shares = [(own / targets[:, np.newaxis]).sum(axis=0) for own in sums]
        above = np.searchsorted(shares[1], 2.0 - shares[0])
        second = np.column_stack((above - 1, above)).ravel().clip(0, shares[1].size - 1)
        numbers = np.array([np.repeat(np.arange(above.size), 2), second])
        loads = sums[0][:, numbers[0]] + sums[1][:, numbers[1]]
    errors = loads / targets[:, np.newaxis] - 1.0
    worst = np.abs(errors).max(axis=0)
    best = int(worst.argmin())
    if worst[best] > tolerance and len(links) > 1:
        close = worst <= 2.0 * worst[best]
        best = int(np.where(close, np.abs(errors.mean(axis=0)), np.inf).argmin())
    return tuple(int(number) for number in numbers[:, best])


def verify(
    knobs: Knobs,
    surveys: Mapping[int, Survey],
    wanted: Sequence[tuple[float, float, int]],
    *,
    run: Runner,
    tolerance: float = TOLERANCE,
) -> dict[tuple[float, int], MatchedLoad]:
    """Runs the twins with the chosen users and corrects what misses.

    `wanted` names a load in per cent, the same in Mbit/s, and a seed.
    """

    def choose(key: tuple[float, float, int], aim: Mapping[str, float]) -> Numbers:
        return choose_numbers(knobs, surveys[key[2]], targets_mbps=aim, tolerance=tolerance)

    best: dict[tuple[float, int], MatchedLoad] = {}
    aims = {key: {link.name: key[1] for link in knobs.bottleneck.links} for key in wanted}
    for attempt in range(1, ATTEMPTS + 1):
        numbers = {key: choose(key, aim) for key, aim in aims.items()}
        sizes = {key: knobs.sizes(own) for key, own in numbers.items()}
        twins = [(knobs.demand.twin_of(knobs.demand.with_sizes(own)), key[2]) for key, own in sizes.items()]
        for (key, own), twin in zip(sizes.items(), run(twins, "load matching"), strict=True):
            realised = throughput_mbps.by_link(twin, [link.name for link in knobs.bottleneck.links])
            match = MatchedLoad(key[2], key[0], key[1], own, realised, attempt, twin)
            best[key[0], key[2]] = _closer(best.get((key[0], key[2])), match)
        aims = {
            key: _corrected(key[1], surveys[key[2]], best[key[0], key[2]])
            for key in aims
            if not _fits(best[key[0], key[2]], tolerance)
        }
        # If the next attempt would run the same users, the load cannot be reached.
        aims = {key: aim for key, aim in aims.items() if choose(key, aim) != numbers[key]}
        if not aims:
            break
    return {key: _with_warning(match, tolerance) for key, match in best.items()}


def _fits(match: MatchedLoad, tolerance: float) -> bool:
    return max(abs(error) for error in match.errors.values()) <= tolerance


def _closer(known: MatchedLoad | None, new: MatchedLoad) -> MatchedLoad:
    """The one with the smaller mean error where neither fits, otherwise the smaller larger error."""
    if known is None:
        return new

    def rank(match: MatchedLoad) -> tuple[float, float]:
        return round(abs(match.mean_error), 3), max(abs(error) for error in match.errors.values())

    closer = min((known, new), key=rank)
    return replace(closer, attempts=new.attempts)


def _corrected(target_mbps: float, survey: Survey, match: MatchedLoad) -> dict[str, float]:
    """What to aim at in the survey so that the run, which missed it a little, meets the target."""
    predicted = survey.load_mbps(match.sizes)
    return {link: target_mbps * predicted[link] / mbps for link, mbps in match.realised_mbps.items()}


def _with_warning(match: MatchedLoad, tolerance: float) -> MatchedLoad:
    if _fits(match, tolerance):
        return match
    errors = ", ".join(f"{name} {error:+.2%}" for name, error in match.errors.items())
    kept = abs(match.mean_error) <= tolerance
    if len(match.errors) == 1:
        what = "the load is not"
    else:
        what = "only the mean of both directions is" if kept else "not even the mean of both directions is"
    text = (
        f"seed {match.seed}, {match.nominal_percent:g} %: {what} within {tolerance:.1%} of the nominal load "
        f"({errors}); one user's transfer exceeds the tolerance"
    )
    return replace(match, warnings=(*match.warnings, text))
