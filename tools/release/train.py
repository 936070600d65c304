"""The runs that profile-guided optimisation learns from: what users run, cut down to some seconds in all.

`make release` builds the wheel with counters, runs this under it, and builds it again for what was counted.
The scenarios are the household that `aqmlab new home` writes, those of the studies and those of the
crosscheck, under every registered scheme and host profile, so that nothing that people use is taken for cold.
What is learnt moves code, never a result.
"""

from __future__ import annotations

from pathlib import Path

import aqmlab
from aqmlab import _core
from aqmlab.comparison.making import configurations
from aqmlab.presets.household import household

ROOT = Path(__file__).resolve().parents[2]
SEED = 4711


def queue(scheme: str) -> dict[str, object]:
    """The scheme with its defaults."""
    return {"scheme": scheme, "limit_packets": 240}


def bulk(scheme: str, seconds: float) -> aqmlab.Scenario:
    """The fifty long-lived flows of the crosscheck."""
    crosscheck = aqmlab.Scenario.from_file(ROOT / "tests" / "crosscheck" / "scenario.toml")
    return crosscheck.with_overrides(
        {"topology.links.1.queue": queue(scheme), "duration_s": seconds, "warm_up_s": 0.0}
    )


def users_of(profile: str) -> dict[str, object]:
    """A third of the study's users, with hosts of one kind."""
    return {"users.per_side": 3000, "dumbbell.rate_mbps": 33.0, "users.profile": profile}


def web(study: str, overrides: dict[str, object], seconds: float) -> aqmlab.Scenario:
    """The users of a study."""
    scenario = aqmlab.Scenario.from_file(ROOT / "python/aqmlab/experiments" / study / "scenario.toml")
    return scenario.with_overrides({"duration_s": seconds, "warm_up_s": 0.0, "cool_down_s": 0.0} | overrides)


def at_home(scheme: str, seconds: float) -> aqmlab.Scenario:
    """A home's pages, calls, games, television and long flows, with a scheme at both ends of its line."""
    scenario = aqmlab.Scenario.of(household(100.0, 10.0, "cable"))
    length = {"duration_s": seconds, "warm_up_s": 1.0, "cool_down_s": 1.0}
    made = configurations(scenario.with_overrides(length), [scheme])
    return made[next(reversed(made))]


def clouds(seconds: float) -> aqmlab.Scenario:
    """PackMime's clouds, whose noise is the hottest loop of `reproduce multicl`."""
    crosscheck = aqmlab.Scenario.from_file(ROOT / "tests" / "crosscheck" / "clouds.toml")
    return crosscheck.with_overrides({"duration_s": seconds, "warm_up_s": 1.0})


def training() -> list[aqmlab.Scenario]:
    """Every run, in order."""
    schemes = _core.scheme_names()
    two_way = [profile for profile in _core.profile_names() if not profile.startswith("ns2-")]
    steady = {"users.per_side": 9330, "users.start": "steady"}
    return [
        bulk("drop-tail", 60.0),
        *(at_home(scheme, 60.0) for scheme in ("red", "pie", "codel", "fq-codel", "cake", "dualpi2")),
        clouds(20.0),
        *(bulk(scheme, 5.0) for scheme in schemes),
        *(web("le2003", steady | {"dumbbell.queue": queue(scheme)}, 10.0) for scheme in schemes),
        *(web("le2003", users_of(profile), 10.0) for profile in two_way),
        *(
            web("christiansen2000", {"dumbbell.queue": queue(scheme)}, 30.0)
            for scheme in ("drop-tail", "red")
        ),
    ]


def main() -> None:
    """Runs them, one after the other."""
    for scenario in training():
        aqmlab.run(scenario, seed=SEED)


if __name__ == "__main__":
    main()
