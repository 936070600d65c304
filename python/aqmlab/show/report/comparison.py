"""The report on several configurations of a link, or on one: what happens to the people behind it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError, ScenarioError
from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.show.figures.distributions import (
    differences_within,
    medians_by_size,
    of_whole_seeds,
    shares_beyond,
    shares_within,
    times_on_a_log_axis,
)
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.experience import (
    delay_bars,
    delay_over_time,
    delays_beyond,
    heard_group,
    page_bars,
    share_bars,
)
from aqmlab.show.figures.looks import looks_of_names
from aqmlab.show.figures.network import draw_network
from aqmlab.show.figures.over_time import link_over_time
from aqmlab.show.report.network import (
    differing_settings,
    facts,
    in_one_line,
    queues_in_words,
)
from aqmlab.show.report.page import (
    Facts,
    Figure,
    Folded,
    Page,
    Part,
    Section,
    TableShown,
    Text,
    Words,
    with_mark,
)
from aqmlab.show.tables.comparison import comparison_table, of_cut_pages
from aqmlab.show.tables.verdict import verdict_notes, verdict_table
from aqmlab.show.words.amounts import counted, length_of_each
from aqmlab.show.words.comparison import answer, page_sentences, window_in_words
from aqmlab.show.words.configurations import under
from aqmlab.show.words.line import what_to_type
from aqmlab.show.words.verdict import what_changes_most
from aqmlab.statistics import Pages
from aqmlab.statistics.recorded import mark_of, suspect_because

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.show.figures.bars import Bars
    from aqmlab.show.figures.chart import Chart
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded, ResponseTimes

    Results = Mapping[str, Sequence[Recorded]]


def page_of(found: Comparison, *, title: str = "") -> Page:
    """The page on some alternatives; differences are from the first."""
    in_order = {name: [run.result for run in runs] for name, runs in found.runs.items()}
    firsts = {name: each[0] for name, each in in_order.items()}
    looks = list(looks_of_names(firsts).values())
    name = next(iter(firsts.values())).run["scenario"]["name"]
    fares = [TableShown(replace(verdict_table(found), caption=""))] if found.judges_anybody else []
    # Where people do more than browse, one sentence answers, and the table below it.
    many = bool(found.judged_groups or found.viewers)
    answered = [what_changes_most(found, found.verdict())] if many else answer(found)
    delayed = [*_of_delay(found, firsts)]
    # The verdict's small print stands below the figure, so that both are on the first screen.
    small_print = [*verdict_notes(found), *of_cut_pages(found)]
    explained = [Text(each, soft=True) for each in small_print] if fares else []
    sections = (
        Section("What the words and stars mean", explained),
        Section("In sentences", [Words(answer(found))] if many else [], folded=True),
        Section("Delay under load", [*_of_delays(found, firsts)]),
        Section("Waiting for a page", [*(of_pages(found) if delayed else ()), *_of_pages(found, looks)]),
        Section("Who got how much", [*_of_shares(found)]),
        Section("Waiting for each object of a page", [*_of_objects(found, in_order, looks)], folded=True),
        Section("The network", [*_of_network(in_order)]),
        Section("The link over time", [*_of_links(firsts, looks, found)], folded=True),
        Section("All numbers", [TableShown(comparison_table(found))]),
        Section("What was run", [*_provenance(in_order, firsts, found)], folded=True),
    )
    page = Page(
        title=title or f"{name}: what the queue does to the people behind the link",
        under_title=_under_title(next(iter(firsts.values())), found),
        answer=[*found.cautions(), *filter(None, answered)],
        first=[*fares, *map(Text, what_to_type(found)), *(delayed or of_pages(found))],
        notes=[f"{each}." for each in found.default_cautions()],
        sections=[section for section in sections if section.parts],
    )
    return with_mark(page, mark_of(in_order), suspect_because(in_order))


def _under_title(first: Recorded, found: Comparison) -> str:
    """The link and the people; with the name of the alternative if they differ."""
    line = in_one_line(first, len(found.seeds), window_in_words(found))
    differ = any(found.beyond_the_queue(name) for name in found.names)
    return f"{under(found.names[0])}: {line}" if differ else line


def of_pages(found: Comparison, looks: Mapping[str, Line] | None = None) -> Iterator[Figure]:
    """How long people wait for a page under each alternative, as bars; nothing without pages."""
    if not found.tells_pages:
        return
    bars = page_bars(found, looks)
    caption = "Each pair of bars is one way to manage the queue in front of the link. Shorter is better."
    yield Figure(Drawn.of("page-loads", bars, f"{caption}{_certainty(found, bars)}"))


def _certainty(found: Comparison, bars: Bars) -> str:
    """What thin lines and arrows at bars mean, where there are any."""
    drawn = [bar for group in bars.groups for row in group.rows for bar in row.bars]
    words = ""
    if any(bar.ends is not None for bar in drawn):
        words += f" Thin lines: 95 % confidence intervals from {len(found.seeds)} runs."
    elif len(found.seeds) < MINIMUM_REPLICATIONS:
        words += " Too few runs for confidence intervals."
    if any(bar.is_bound for bar in drawn):
        words += " Arrows: at least this; in some run more was still open at its end."
    return words


def _means(found: Comparison) -> str:
    return "One run." if len(found.seeds) == 1 else f"Means over {len(found.seeds)} runs."


def _of_delay(found: Comparison, firsts: Mapping[str, Recorded]) -> Iterator[Part]:
    """A minute of the delay of the call's packets, or of the queue where there are no datagrams."""
    if not (group := heard_group(found)):
        return
    try:
        chart = delay_over_time(firsts, group)
    except MissingDataError as error:
        yield Text(f"Delay over time is not shown: {error}.", soft=True)
        return
    yield Figure(Drawn.of("delay", chart, _caption_of_delay(chart, found)))


def _caption_of_delay(chart: Chart, found: Comparison) -> str:
    words = f"Seed {found.seeds[0]}: the mean, and shaded the {chart.band}."
    if chart.levels:
        words += " Dashed: from 150 ms on people in a call notice it; 400 ms is the most (ITU-T G.114)."
    lost = [(each.name, float(each.lost.sum())) for each in chart.series if each.lost is not None]
    if any(count for _, count in lost):
        told = ", ".join(f"{count:,.0f} {under(name)}" for name, count in lost if count)
        words += f" Marks above: packets that did not arrive ({told})."
    return words


def _of_delays(found: Comparison, firsts: Mapping[str, Recorded]) -> Iterator[Part]:
    """The percentiles of every application over datagrams, or of the queue, and how one is distributed."""
    try:
        bars = delay_bars(found)
    except (MissingDataError, ScenarioError) as error:
        yield Text(f"Not shown: {error}.", soft=True)
        return
    yield Figure(Drawn.of("delays", bars, f"{_means(found)} Dashed: 150 and 400 ms (ITU-T G.114)."))
    if not (group := heard_group(found)):
        return
    caption = f"Seed {found.seeds[0]}. What was lost takes longer than any time: lines end level there."
    yield from _if_recorded("delay-ccdf", lambda: delays_beyond(firsts, group), caption)


def _of_shares(found: Comparison) -> Iterator[Part]:
    with suppress(MissingDataError):
        bars = share_bars(found)
        yield Figure(
            Drawn.of(
                "shares", bars, f"Means over {counted(len(found.seeds), 'run')}.{_certainty(found, bars)}"
            )
        )


def _of_pages(found: Comparison, looks: Sequence[Line]) -> Iterator[Part]:
    if not found.tells_pages:
        return
    if len(found.names) > 1:
        yield Words(page_sentences(found))
    all_times = {
        name: [run.page_load_times(Pages.FOLLOWED) for run in runs] for name, runs in found.runs.items()
    }
    times, left_out = of_whole_seeds(all_times, _seeds_of(found))
    if not all(times.values()):
        yield Text(
            "No distributions: under some configuration nobody waited for a page in the window.", soft=True
        )
        return
    if left_out:
        without = counted(left_out, "seed")
        yield Text(f"Without {without} in which nobody waited for a page.", soft=True)
    words = ("Page load times", "pages loaded", "loaded")
    yield from _distributions("pages", times, looks, what="page load time, s", shown=words)
    yield Text(
        "A page begins with the click and ends with the last byte of its last object. Shown are the pages "
        "that began in the measured window; pages still loading when the run ended count as longer than "
        "observed (Kaplan-Meier).",
        soft=True,
    )


def _seeds_of(found: Comparison) -> dict[str, Sequence[int]]:
    return dict.fromkeys(found.names, found.seeds)


def _of_objects(found: Comparison, results: Results, looks: Sequence[Line]) -> Iterator[Part]:
    try:
        all_times = {name: [run.times for run in runs] for name, runs in found.runs.items()}
    except MissingDataError:
        return
    times, left_out = of_whole_seeds(all_times, _seeds_of(found))
    if not all(times.values()):
        return
    if left_out:
        without = counted(left_out, "seed")
        yield Text(f"Without {without} in which no response ended in the measured window.", soft=True)
    what = "response time, s"
    words = ("Response times", "responses complete", "complete")
    yield from _distributions("responses", times, looks, what=what, shown=words)
    yield from _if_recorded(
        "tails",
        lambda: shares_beyond(
            times,
            looks,
            time_s=times_on_a_log_axis(times),
            title="Responses that take long",
            x=what,
            y="share taking longer",
        ),
        "Responses of all runs together.",
    )
    yield from _if_recorded(
        "sizes",
        lambda: medians_by_size(results, looks, title="Response time by size"),
        "Median response time by size; responses of all runs together.",
    )


def _distributions(
    identifier: str,
    times: Mapping[str, Sequence[ResponseTimes]],
    looks: Sequence[Line],
    *,
    what: str,
    shown: tuple[str, str, str],
) -> Iterator[Part]:
    """The share within each time, then the difference from the first alternative.

    `shown` is the title, what the vertical axis counts, and the verb for its end.
    """
    title, counted_things, ended = shown
    things = counted_things.removesuffix(f" {ended}")
    grid = times_on_a_log_axis(times)
    runs = len(next(iter(times.values())))
    within = shares_within(times, looks, time_s=grid, title=title, x=what, y=f"{counted_things}, %")
    mean = "Mean of one run" if runs == 1 else f"Mean of {runs} runs"
    yield Figure(Drawn.of(identifier, within, _caption(within, mean)))
    if len(times) == 1:
        return
    base = next(iter(times))
    of, y = f"{title}: difference from {base}", "difference, percentage points"
    more = differences_within(times, looks, time_s=grid, title=of, x=what, y=y)
    caption = f"Above zero: within that time more {things} are {ended} than {under(base)}; below zero: fewer"
    yield Figure(Drawn.of(f"{identifier}-difference", more, _caption(more, caption)))


def _caption(chart: Chart, said: str) -> str:
    return f"{said}. Shaded: {chart.band}." if chart.band else f"{said}. Too few runs for bands."


def _of_network(results: Results) -> Iterator[Part]:
    """The network with the utilization of each link: the first alternative, and the others folded."""
    for place, (name, runs) in enumerate(results.items()):
        number = f"-{place}" if place else ""
        try:
            drawn = draw_network(runs[0].run["scenario"], runs, title=name, identifier=f"network{number}")
        except ScenarioError as error:  # the scheme's file no longer exists
            yield Text(f"Not shown: {error}.", soft=True)
            return
        yield Folded(f"The network under {name}", [Figure(drawn)]) if place else Figure(drawn)


_MOST_INTERVALS = 200
"""Most intervals of a chart over time: as many as a screen can show, to keep the page small."""


def _of_links(firsts: Mapping[str, Recorded], looks: Sequence[Line], found: Comparison) -> Iterator[Part]:
    for link in found.links:
        for identifier, over_time, what in (
            ("waiting", "waiting", "Waiting time in the queue"),
            ("queue", "queue", "Packets in the queue"),
            ("busy", "utilization", "How busy the link is"),
        ):
            title = f"{what}, {link}" if len(found.links) > 1 else what
            name = f"{identifier}-{link}" if len(found.links) > 1 else identifier
            chart = partial(
                link_over_time, over_time, firsts, looks, link=link, title=title, most=_MOST_INTERVALS
            )
            yield from _if_recorded(name, chart, f"Seed {found.seeds[0]}, the whole run.")


def _if_recorded(identifier: str, chart: Callable[[], Chart], caption: str) -> Iterator[Part]:
    try:
        drawn = chart()
    except MissingDataError as error:
        yield Text(f"Not shown: {error}.", soft=True)
    else:
        shaded = f" Shaded: {drawn.band}." if drawn.band else ""
        yield Figure(Drawn.of(identifier, drawn, f"{caption}{shaded}"))


def _runs_in_words(found: Comparison) -> str:
    seeds = f"{'seed' if len(found.seeds) == 1 else 'seeds'} {', '.join(map(str, found.seeds))}"
    return f"{len(found.names) * len(found.seeds)}: {counted(len(found.names), 'alternative')} with {seeds}"


def _measured(runs: Sequence[Recorded]) -> str:
    """From when to when runs were measured, in simulated seconds; with `end_after` until different ends."""
    ends_s = [float(run.run["measured_until_s"]) for run in runs]
    until = "" if min(ends_s) == max(ends_s) else "the end of each run, at "
    return f"{runs[0].run['measured_from_s']:g} s to {until}{length_of_each(min(ends_s), max(ends_s))}"


def _provenance(results: Results, firsts: Mapping[str, Recorded], found: Comparison) -> Iterator[Part]:
    runs = [result for each in results.values() for result in each]
    yield Facts(facts(firsts))
    if described := queues_in_words(firsts):
        yield Words(described)
    if buffers := found.buffers_in_words():
        yield Words(buffers)
    scenarios = {name: result.run["scenario"] for name, result in firsts.items()}
    differing = differing_settings(scenarios)
    if len(scenarios) > 1:
        yield Facts({"differing settings": ", ".join(differing) or "nothing"})
    broken = {law["name"] for run in runs for law in run.run["invariants"] if not law["holds"]}
    yield Facts(
        {
            "runs": _runs_in_words(found),
            "measured": f"{_measured(runs)} of the simulated time",
            "version": str(runs[0].run["aqmlab_version"]),
            "consistency checks": f"failed: {', '.join(sorted(broken))}"
            if broken
            else "passed in every run (no packet or byte is lost track of)",
        }
    )
    if warnings := found.warnings():
        yield Folded(f"Warnings ({len(warnings)})", [Words(warnings)])
    if differing:
        yield Folded("Settings that differ", [Facts(differing)])
    name, scenario = next(iter(scenarios.items()))
    shown = {key: each for key, each in scenario.items() if key != "files"}
    text = json.dumps(shown, indent=1, ensure_ascii=False)
    yield Folded(f"The scenario of {name}, with every default", verbatim=text)
