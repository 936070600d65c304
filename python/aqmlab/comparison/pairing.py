"""Which results of two configurations are compared: those of one seed, if nothing else stands between.

What may stand between is decided key by key (`aqmlab.comparison.comparability`).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from aqmlab.comparison.comparability import Decides, Difference, differences, listed
from aqmlab.errors import ComparisonError, ScenarioError
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds
from aqmlab.statistics.recorded import judged_links, measured_window, monitored_links
from aqmlab.terminal.spelling import counted, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence, Set

    from aqmlab.statistics import Recorded

    Pair = tuple[Recorded, Recorded]

_REFUSED = {Decides.MEASURE, Decides.UNKNOWN}
_OF_ONE_SEED = {Decides.USERS}
"""What replications of one configuration may differ in: loads are matched seed by seed."""


def paired(
    a: Sequence[Recorded],
    b: Sequence[Recorded],
    *,
    names: tuple[str, str] = ("a", "b"),
    same_users: bool = True,
) -> list[tuple[Recorded, Recorded]]:
    """The results of both sides by seed, in the order of the seeds."""
    left, right = _by_seed(a, names[0]), _by_seed(b, names[1])
    if left.keys() != right.keys():
        raise _unpaired(left.keys(), right.keys(), names)
    _require_one_version([*a, *b])
    pairs = [(left[seed], right[seed]) for seed in sorted(left)]
    for pair in pairs:
        _require_comparable(pair, names, same_users=same_users)
    windows = {window(one) for one, _ in pairs}
    if len(windows) > 1:
        raise ComparisonError(f"replications were measured over different windows: {sorted(windows)}")
    for side, name in zip(zip(*pairs, strict=True), names, strict=True):
        _require_one_configuration(side, name)
    return pairs


def _unpaired(left: Set[int], right: Set[int], names: tuple[str, str]) -> ComparisonError:
    only = zip(names, (left - right, right - left), strict=True)
    said = ", ".join(f"only {name} has {_said(seeds)}" for name, seeds in only if seeds)
    every = str(Seeds(sorted(left | right)))
    legal = f"the same seeds on both sides, such as {every}"
    return ComparisonError(f"seeds are unpaired: {said}; legal: {legal}", place="seeds", legal=legal)


def _said(seeds: Collection[int]) -> str:
    return f"{'seed' if len(seeds) == 1 else 'seeds'} {Seeds(sorted(seeds))}"


def differing(pairs: Sequence[Pair]) -> tuple[Difference, ...]:
    """The settings in which the first of each pair differs from the second, over all pairs, each once."""
    found = (_differences(other, one) for one, other in pairs)
    return tuple(dict.fromkeys(each for of_pair in found for each in of_pair))


def require_comparable(scenarios: Mapping[str, Mapping[str, Any]]) -> None:
    """Checks that runs of these resolved scenarios, by name, can be compared with the first."""
    (base, first), *others = scenarios.items()
    for name, other in others:
        found = differences(first, other)
        _refuse([each for each in found if each.decides in _REFUSED | {Decides.USERS}], name, base)


def _by_seed(results: Sequence[Recorded], side: str) -> dict[int, Recorded]:
    if isinstance(results, Mapping | str) or not isinstance(results, Iterable):
        raise ComparisonError(f"{side}: a list of results, one for each seed, not {quoted(results)}")
    if not results:
        raise ComparisonError(f"no result in {side}")
    for result in results:
        if not isinstance(getattr(result, "run", None), Mapping):
            raise ComparisonError(f"{side}: a list of results, one for each seed, not of {quoted(result)}")
    seeds = Counter(int(result.run["seed"]) for result in results)
    repeated = sorted(seed for seed, count in seeds.items() if count > 1)
    if repeated:
        raise ComparisonError(f"{side} has {_said(repeated)} more than once; legal: each seed once")
    return {int(result.run["seed"]): result for result in results}


def _require_one_version(results: Sequence[Recorded]) -> None:
    versions = dict.fromkeys(str(result.run["aqmlab_version"]) for result in results)
    if len(versions) > 1 and not all(map(_is_as_of_now, results)):
        raise ComparisonError(
            f"aqmlab_version differs: {' and '.join(versions)}; a difference may be one of versions; legal: "
            "runs of one version"
        )
    if len({result.run.get("live") is None for result in results}) > 1:
        raise ComparisonError("live runs and simulations are not compared: legal: runs of one kind")


def _is_as_of_now(result: Recorded) -> bool:
    """Whether this version would make the same run: nothing that it depends on has changed since."""
    try:
        scenario = Scenario(json.dumps(result.run["scenario"]))
        return scenario.content_address(int(result.run["seed"])) == result.run.get("content_address")
    except ScenarioError:
        return False


def _require_comparable(pair: Pair, names: tuple[str, str], *, same_users: bool) -> None:
    (one, other), (a, b) = pair, names
    place = f"seed {one.run['seed']}"
    refused = _REFUSED | ({Decides.USERS} if same_users else set())
    _refuse([each for each in _differences(other, one) if each.decides in refused], f"{place}: {a}", b)
    if window(one) != window(other):
        raise ComparisonError(f"{place}: measured over {window(one)} s in {a} but {window(other)} s in {b}")
    if same_users and _users(one) != _users(other):
        raise ComparisonError(
            f"{place}: {_users(one)} in {a} but {_users(other)} in {b}; the same users must be compared"
        )


def _refuse(found: Sequence[Difference], name: str, other: str) -> None:
    if found:
        decided = " and ".join(dict.fromkeys(each.decides for each in found))
        raise ComparisonError(
            f"{name} differs from {other} in {decided}: {listed(found)}; legal: the same on both sides"
        )


def _require_one_configuration(results: Iterable[Recorded], name: str) -> None:
    first, *others = results
    for other in others:
        found = [each for each in _differences(first, other) if each.decides not in _OF_ONE_SEED]
        if found:
            raise ComparisonError(
                f"{name}: seed {other.run['seed']} has {listed(found)} of seed {first.run['seed']}; legal: "
                "replications of one configuration, which differ in their seed"
            )


def _differences(before: Recorded, after: Recorded) -> list[Difference]:
    return differences(before.run["scenario"], after.run["scenario"])


def window(result: Recorded) -> tuple[float, float]:
    """Beginning and end of the measured window, in seconds of the run.

    Runs that end after so many exchanges (`end_after`) have ends of their own, which says nothing against
    comparing them: infinity.
    """
    begin_s, end_s = measured_window(result)
    return begin_s, end_s if result.run["scenario"].get("end_after") is None else math.inf


def _users(result: Recorded) -> str:
    return (
        ", ".join(f"{counted(entry['users'], 'user')} {entry['name']}" for entry in result.run["populations"])
        or "no users"
    )


def require_population(name: str | None, result: Recorded) -> None:
    """Refuses the name of a population that nobody is called by."""
    known = [str(entry["name"]) for entry in result.run["populations"]]
    if name is not None and name not in known:
        raise ComparisonError.not_among("population", name, known)


def same_links(pairs: Sequence[tuple[Recorded, Recorded]], links: Sequence[str]) -> tuple[str, ...]:
    """The names of the judged links, one list for all results.

    Without a choice those that carry data; of a line in any of the results: where one configuration shapes
    in a router and another does not, the router's are shown of both.
    """
    results = [result for pair in pairs for result in pair]
    of_results = {tuple(link["name"] for link in judged_links(result, links)) for result in results}
    if len(of_results) == 1:
        return next(iter(of_results))
    of_any = set().union(*of_results)
    in_order = {
        tuple(link["name"] for link in monitored_links(result) if link["name"] in of_any)
        for result in results
    }
    lines = all(result.run["scenario"].get("line") for result in results)
    if not lines or len(in_order) > 1 or of_any != set(next(iter(in_order))):
        lists = " and ".join(", ".join(names) for names in sorted(of_results))
        raise ComparisonError(f"other links carry data in other results ({lists}): choose them with links=")
    return next(iter(in_order))
