"""A comparison as tables: for people quantities below each other, for programs a row per configuration."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.comparison.verdict import verdict
from aqmlab.inference import MINIMUM_REPLICATIONS, Interval, NotEnoughReplications
from aqmlab.show.tables.headings import PAGES_IN_WORDS, SLOWEST_IN_WORDS, heading_of
from aqmlab.show.tables.printed import Warned
from aqmlab.show.tables.verdict import bare_table, stages_in_words, verdict_notes
from aqmlab.show.words.amounts import counted, line_rate, listed
from aqmlab.show.words.comparison import sentences, verdicts, window_in_words
from aqmlab.show.words.configurations import itself, named, under
from aqmlab.show.words.line import boxes_in_words, what_to_type
from aqmlab.show.words.verdict import what_changes_most
from aqmlab.statistics.catalogue import LOADED_MEDIAN, LOADED_P95, OF_LINKS, OF_OBJECTS, OF_PEOPLE
from aqmlab.statistics.experience import CALL
from aqmlab.statistics.observation import Bound, Observation
from aqmlab.statistics.quantities import pages_failed, pages_unfinished
from aqmlab.tables.model import (
    Column,
    Line,
    Standing,
    Table,
    TableCell,
    bounds_in_csv,
    digits_in_print,
    finite,
    in_csv,
    text,
    with_half_width,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.comparison import Change, Comparison, Level
    from aqmlab.comparison.page_ratio import PageRatio
    from aqmlab.show.tables.printed import Part
    from aqmlab.statistics.quantities import Quantity

    Estimate = Interval | NotEnoughReplications

_WITH_A_ROW = frozenset({"call_bitrate_mbps", "call_frozen_percent"})
"""What has a row also where it is zero: what a video call shows, and that it never freezes."""


@dataclass(frozen=True)
class _Row:
    """What a row is called, with its cell for each configuration; without one, a heading of rows."""

    title: str
    cell: Callable[[str], TableCell] | None = None


def printed(found: Comparison, *, details: bool) -> Iterator[Part]:
    """What is told on a terminal: the verdict, or in detail every number.

    Where nobody is judged there is no verdict, and the numbers are told.
    """
    yield from found.cautions()
    yield from found.buffers_in_words()
    if details or not found.judges_anybody:
        yield from sentences(found)
        yield brief_table(found)
        # Of two the curves are told as well; of more the sentences on pages have to do.
        yield from verdicts(found) if len(found.names) == 2 else ()
        yield from notes(found, brief=True)
    else:
        yield from filter(None, [what_changes_most(found, verdict(found))])
        yield bare_table(found)
        yield from verdict_notes(found)
        yield from of_cut_pages(found)
        yield from boxes_in_words(found)
        yield from what_to_type(found)
        yield from found.queues_in_words()
        yield from _how_to_see_more(found, [LOADED_MEDIAN])
    for each in found.warnings_of_settings():
        yield Warned(each)


def comparison_table(found: Comparison) -> Table:
    """One row per quantity, one column per configuration, differences below levels."""
    below = [f"In grey: the difference from {itself(found.baseline)}."] if len(found.names) > 1 else []
    caption = "\n".join([*below, *notes(found)])
    return _table(_rows(found), found.names, "levels and differences", caption=caption)


def brief_table(found: Comparison) -> Table:
    """The same for a terminal, without what experts alone look for.

    Where configurations have no room beside each other they go into further parts, each with the baseline.
    """
    return _table(_rows(found, brief=True), found.names, "")


def _table(rows: Sequence[_Row], names: Sequence[str], title: str, *, caption: str = "") -> Table:
    columns: list[Column[_Row]] = [
        Column("quantity", _heading, "", words=True),
        *(
            Column(name, partial(_cell_of, name), named(name), names_row=len(names) > 2 and name == names[0])
            for name in names
        ),
    ]
    return Table.of(rows, columns, title=title, caption=caption)


def comparison_records(found: Comparison) -> Table:
    """For programs: a row for each configuration, with mean, bounds and difference of each quantity."""
    columns: list[Column[str]] = [Column("configuration", text)]
    for quantity in _recorded(found):
        columns += _in_csv(quantity.name, partial(_mean_of, found, quantity))
        columns += [
            in_csv(f"{quantity.name}.{end}", partial(_end_of, found, quantity, bound))
            for end, bound in (("at_least", Bound.AT_LEAST), ("at_most", Bound.AT_MOST))
            if any(found.level(name, quantity).beyond for name in found.names)
        ]
        columns += _in_csv(f"{quantity.name}.minus_first", partial(_difference, found, quantity))
        columns += [in_csv(f"{quantity.name}.runs", partial(_runs, found, quantity))]
        if quantity is LOADED_P95:
            columns += _in_csv("page_time_ratio", lambda name: _two_sided(found.page_ratio(name)))
            columns += [
                in_csv("page_time_ratio.pages", lambda name: found.page_ratio(name).pages),
                in_csv("page_time_ratio.cut", lambda name: found.page_ratio(name).cut),
            ]
    return Table.of(found.names, columns)


def _recorded(found: Comparison) -> list[Quantity]:
    return [
        each for each in found.quantities if any(found.values(name, each).known.any() for name in found.names)
    ]


def _is_zero(found: Comparison, quantity: Quantity) -> bool:
    """Whether it is zero in every run of all configurations: named in the caption, without a row."""
    return quantity.base not in _WITH_A_ROW and not any(
        found.values(name, quantity).values.any() for name in found.names
    )


def _rows(found: Comparison, *, brief: bool = False) -> list[_Row]:
    """What is printed, under headings: links one by one where there are several.

    In brief without the response times of objects where pages are told, and without the delay of the slowest
    datagram in a hundred, which jitter has.
    """
    left_out = {each.name for each in OF_LINKS} if len(found.links) > 1 else set()
    if brief and found.tells_pages:
        left_out |= {each.name for each in OF_OBJECTS}
    rows: list[_Row] = []
    heading = ""
    for quantity in _recorded(found):
        is_slowest = brief and quantity.name.startswith("delay_p99_ms/")
        if quantity.name in left_out or is_slowest or _is_zero(found, quantity):
            continue
        group, title = _place(found, quantity)
        if group != heading:
            rows.append(_Row(group))
            heading = group
        rows.append(_Row(title, partial(_cell, found, quantity)))
        if quantity is LOADED_P95 and any(found.page_ratio(name).pages for name in found.names[1:]):
            rows.append(_Row("same page, ratio", partial(_ratio_cell, found)))
    return rows


def _place(found: Comparison, quantity: Quantity) -> tuple[str, str]:
    """The heading of a quantity's row, and what it is called below that."""
    heading = heading_of(quantity, found.links[:1], slow_pages_are_carried=found.slow_pages_are_carried)
    return heading.of, heading.what


def _heading(row: _Row) -> TableCell:
    return text(row.title) if row.cell is None else text(f"  {row.title}")


def _cell_of(name: str, row: _Row) -> TableCell:
    return text("") if row.cell is None else row.cell(name)


def _cell(found: Comparison, quantity: Quantity, name: str) -> TableCell:
    level = found.level(name, quantity)
    shown = level_in_print(level, quantity)
    differences, differs = [], False
    if name != found.baseline and level.have:
        change = found.change(name, quantity)
        differences.append(Line(difference_in_print(change), Standing.REFERENCE))
        differs = change.direction != 0
    return _starred(found, shown, differs, *differences)


def _ratio_cell(found: Comparison, name: str) -> TableCell:
    """How many times as long the same page takes as with the baseline, in print with the interval's ends."""
    if name == found.baseline:
        return _starred(found, "1", False)
    ratio = found.page_ratio(name)
    estimate = ratio.estimate
    if estimate.mean is None:
        return _starred(found, "–", False)
    if ratio.is_one_sided and isinstance(estimate, Interval):
        end = f"<{estimate.upper:.2f}" if estimate.lower == 0.0 else f">{estimate.lower:.2f}"
        return _starred(found, end, ratio.direction != 0)
    ends = [f"{estimate.lower:.2f} to {estimate.upper:.2f}"] if isinstance(estimate, Interval) else []
    lines = [Line(each, Standing.REFERENCE) for each in ends]
    return _starred(found, with_half_width(estimate, 2).replace(" ", ""), ratio.direction != 0, *lines)


def _starred(found: Comparison, shown: str, differs: bool, *below: Line) -> TableCell:
    """With a star where it differs from the baseline's; on a terminal without the lines below."""
    mark = "" if len(found.names) == 1 else "*" if differs else " "
    return TableCell(lines=(Line(f"{shown}{mark}".rstrip()), *below), short=f"{shown}{mark}")


def digits_of(value: float, quantity: Quantity) -> int:
    """Digits after the point: three that count in all, never more than the quantity has."""
    return digits_in_print(value, quantity.digits)


def level_in_print(level: Level, quantity: Quantity) -> str:
    """A level with its half width, or what is known of it: a bound with its sign, or two ends."""
    if level.mean is None:
        return "–"
    digits = digits_of(level.observed.upper if level.between else level.mean, quantity)
    if level.bound:
        return _with_scatter(level).written(lambda value: f"{value:.{digits}f}")
    return with_half_width(level.estimate, digits).replace(" ", "")


def _with_scatter(level: Level) -> Observation:
    """What is known of a level; between two ends with the interval around both, if there is one."""
    known, estimate = level.observed, level.estimate
    if level.between is None or not isinstance(estimate, Interval):
        return known
    # What is counted from zero has no lower end below it, whatever Student's law says.
    return Observation(max(estimate.lower, 0.0) if known.lower >= 0.0 else estimate.lower, estimate.upper)


def difference_in_print(change: Change) -> str:
    """A difference with its half width, or the sign and the end of what is only a bound."""
    estimate = change.difference
    digits = digits_of(change.after.mean or 0.0, change.quantity)
    if estimate.mean is None:
        return "–"
    if change.is_one_sided and isinstance(estimate, Interval):
        above = math.isinf(estimate.upper)
        return f"{'>' if above else '<'}{(estimate.lower if above else estimate.upper):+z.{digits}f}"
    if change.is_between and isinstance(estimate, Interval):
        return f"{estimate.lower:+z.{digits}f} to {estimate.upper:+z.{digits}f}"
    return with_half_width(estimate, digits, sign="+").replace(" ", "")


def _mean_of(found: Comparison, quantity: Quantity, name: str) -> Estimate:
    level = found.level(name, quantity)
    if level.between is not None:
        return _without_mean(level.estimate)
    return NotEnoughReplications(have=level.have - level.beyond) if level.bound else level.estimate


def _end_of(found: Comparison, quantity: Quantity, bound: Bound, name: str) -> float | None:
    level = found.level(name, quantity)
    if not level.bound:
        return None
    end = level.observed.lower if bound is Bound.AT_LEAST else level.observed.upper
    return finite(end)


def _difference(found: Comparison, quantity: Quantity, name: str) -> Estimate:
    change = found.change(name, quantity)
    return _without_mean(change.difference) if change.is_between else change.difference


def _without_mean(estimate: Estimate) -> Estimate:
    """The interval alone, of a mean that is known between two ends."""
    return replace(estimate, mean=math.nan)


def _two_sided(ratio: PageRatio) -> Estimate:
    """A ratio of which the unknown lower end is minus infinity, as that of a difference."""
    estimate = ratio.estimate
    if isinstance(estimate, Interval) and ratio.is_one_sided and estimate.lower == 0.0:
        return replace(estimate, lower=-math.inf)
    return estimate


def _runs(found: Comparison, quantity: Quantity, name: str) -> int:
    return found.level(name, quantity).have


def _in_csv(name: str, told: Callable[[str], Estimate]) -> Iterator[Column[str]]:
    """A mean and its bounds, for programs; an end that is not known is empty, and the mean beside it."""

    def mean(configuration: str) -> float | None:
        estimate = told(configuration)
        one_sided = isinstance(estimate, Interval) and math.isinf(estimate.upper - estimate.lower)
        unknown = one_sided or estimate.mean is None or math.isnan(estimate.mean)
        return None if unknown else estimate.mean

    yield in_csv(f"{name}.mean", mean)
    yield from bounds_in_csv(f"{name}.lower", f"{name}.upper", told)


def notes(found: Comparison, *, brief: bool = False) -> list[str]:
    """What stands below the tables: how sure the numbers are, what they are of, and which queues were set."""
    return [
        *_how_sure(found),
        *_of_what(found, brief=brief),
        *boxes_in_words(found),
        *found.queues_in_words(),
        *_how_to_see_more(found, found.of_people),
    ]


def _how_sure(found: Comparison) -> Iterator[str]:
    seeds = counted(len(found.seeds), "seed")
    if found.nothing_is_random:
        yield f"Nothing is random here: {seeds} gave one and the same run."
        if len(found.names) > 1:
            yield f"*: differs from {itself(found.baseline)}."
        return
    sure = _has_intervals(found)
    if len(found.seeds) == 1:
        yield "1 seed: too few for confidence intervals."
    else:
        yield f"Means over {seeds}" + (
            ", ± 95 % confidence intervals." if sure else " (too few for confidence intervals)."
        )
    yield from stages_in_words(found)
    if len(found.names) > 1 and sure:
        pages = "; page rows: 95 % simultaneous (Bonferroni)" if found.tells_pages else ""
        yield f"*: differs from {itself(found.baseline)}{pages}."
    if found.tells_pages and len(found.seeds) > 1:
        at = f"; a difference is the mean ratio, at the level of {itself(found.baseline)}"
        yield f"Times: geometric means, ± the longer arm{at if len(found.names) > 1 else ''}."


def _has_intervals(found: Comparison) -> bool:
    return isinstance(found.level(found.baseline, found.of_the_link[0]).estimate, Interval)


def _of_what(found: Comparison, *, brief: bool) -> Iterator[str]:
    if found.tells_pages:
        objects = "" if brief else "; objects: what they are made of"
        yield f"{PAGES_IN_WORDS} {window_in_words(found)}{objects}."
        yield from _of_slow_pages(found)
    matched = [each for name in found.names[1:] if (each := found.page_ratio(name)).pages]
    if matched:
        pages, cut = (_range([getattr(each, count) for each in matched]) for count in ("pages", "cut"))
        also = f", of which the end of a run cut off {cut}" if any(each.cut for each in matched) else ""
        yield (
            f"Same page, ratio: its load time divided by that {under(found.baseline)}, page for page "
            f"({pages} pages{also})."
        )
    yield from _of_missing_pages(found)
    yield from _of_bounds(found, brief=brief)
    for what, quantities in _others_by_heading(found, brief=brief).items():
        if have := _least_runs(found, quantities):
            yield f"{what}: in {have} of {len(found.seeds)} runs; the others have no such number."
    if found.datagram_groups:
        back = f" (of {', '.join(found.echo_groups)} there and back)" if found.echo_groups else ""
        yield f"Delay: one way{back}, median and 95th percentile; jitter: 99th percentile minus minimum."
        kinds = found.judged_groups.values()
        if CALL in kinds:
            yield "Voice MOS: quality of a phone call there, 1 (bad) to 4.3 (ITU-T G.107); higher is better."
        if kinds:
            yield (
                "Good, fair, poor, unusable: by the worst of delay (95 %), loss and MOS of a call, of delay, "
                "jitter and loss of a game (docs/explanation/statistics.md)."
            )
    yield from _of_pictures_and_transfers(found)
    rates = {link: found.rates_mbps(link) for link in found.links}
    if len(rates) > 1 and all(len(each) == 1 for each in rates.values()):
        told = ", ".join(f"{link} {line_rate(each[0])}" for link, each in rates.items())
        yield f"{told[0].upper()}{told[1:]}."
    zero = _zero_in_every_run(found)
    if any(each.startswith("marked %") for each in zero) and not _is_marked(found):
        yield "No packet was ECN-marked."
        zero = [each for each in zero if not each.startswith("marked %")]
    if zero:
        yield f"Zero in every run: {', '.join(zero)}."


def _is_marked(found: Comparison) -> bool:
    return any(each.base == "marked_percent" and not _is_zero(found, each) for each in _recorded(found))


def _of_pictures_and_transfers(found: Comparison) -> Iterator[str]:
    if found.video_call_groups:
        followed = " and ".join(found.video_call_editions)
        control = f" Congestion control: GCC, edition {followed}." if followed else ""
        yield (
            "Video: bit rate of what is shown; frame delay: median, from capture to showing; frozen: share "
            f"of the time in which the next frame is late (W3C webrtc-stats).{control}"
        )
    if found.transfer_groups:
        yield (
            "Transfers: those that began in the window, followed to the end of the run; slowdown: their time "
            "over the time alone, 1.5 round trips of the idle path and the bytes at the line's rate."
        )


def _of_missing_pages(found: Comparison) -> Iterator[str]:
    """Pages that had not loaded, and runs in which nobody waited for one."""
    if cut := _runs_with_open_pages(found):
        yield f">: more than; pages had not loaded at the end of {cut}{_with_both(found)}."
    if found.tells_pages and (have := _least_runs(found, OF_PEOPLE)):
        yield f"Pages were waited for in {have} of {len(found.seeds)} runs; the others do not count."


def of_cut_pages(found: Comparison) -> Iterator[str]:
    """In the verdict: how many pages the end of a run cut off, and runs in which nobody waited for one."""
    cut = {name: found.level(name, pages_unfinished).mean or 0.0 for name in found.names}
    nobody = [under(name) for name in found.names if not found.level(name, LOADED_MEDIAN).have]
    if nobody and found.tells_pages:
        yield f"–: in no run did anybody wait for a page {listed(nobody)}."
    if any(cut.values()) and found.tells_pages:
        told = listed([f"{each:.2g} {under(name)}" for name, each in cut.items()], most=len(cut))
        yield f"Pages that had not loaded at the end of a run, per run: {told}; they count as longer."
    if found.tells_pages and (have := _least_runs(found, OF_PEOPLE)):
        yield f"Pages were waited for in {have} of {len(found.seeds)} runs; the others do not count."


def _runs_with_open_pages(found: Comparison) -> str:
    """In how many runs pages were open at the end, of each configuration with a bound for a load time."""
    people, seeds = found.of_people, len(found.seeds)
    bounded = [name for name in found.names if any(found.level(name, each).beyond for each in people)]
    counts = {name: f"{found.runs_with_open_pages(name)} of {seeds} runs" for name in bounded}
    if seeds == 1:
        counts = dict.fromkeys(bounded, "the run")
    return listed(
        [each if len(found.names) == 1 else f"{each} {under(name)}" for name, each in counts.items()]
    )


_BOUNDS = {Bound.AT_LEAST: ">: more than", Bound.AT_MOST: "<: less than", Bound.BETWEEN: "a to b: between"}


def _of_bounds(found: Comparison, *, brief: bool) -> Iterator[str]:
    """What the marks of bounds say in rows other than those of pages."""
    shown = [each for several in _others_by_heading(found, brief=brief).values() for each in several]
    printed = {found.level(name, each).bound for name in found.names for each in shown}
    told = [words for bound, words in _BOUNDS.items() if bound in printed]
    if Bound.BETWEEN in printed and _has_intervals(found):
        told[-1] += " (with 95 %)"
    if told:
        yield f"{', '.join(told)}: what was under way at the end of a run leaves it open."


def _with_both(found: Comparison) -> str:
    """In how many seeds it did so under both configurations, which says nothing of their difference."""
    silent = max((found.change(name, LOADED_MEDIAN).silent for name in found.names[1:]), default=0)
    if not silent:
        return ""
    return f"; in {silent} with both configurations, which the difference leaves out"


def _of_slow_pages(found: Comparison) -> Iterator[str]:
    """What the row of slow pages is over, and how many pages never came at all."""
    if not found.slow_pages_are_carried:
        yield SLOWEST_IN_WORDS
    elif len(found.seeds) > 1:
        pages = _range([round(each) for name in found.names if (each := found.pages_in_all(name))])
        yield f"95 %: over the pages of all runs together ({pages})."
    failed = [found.level(name, pages_failed).mean or 0.0 for name in found.names]
    if any(failed):
        per_run = listed(
            [f"{each:.3g} {under(name)}" for name, each in zip(found.names, failed, strict=True)]
        )
        yield f"Of some pages nothing came; they count as never loaded: {per_run} per run."


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _how_to_see_more(found: Comparison, told: Sequence[Quantity]) -> Iterator[str]:
    """Where some difference of pages that is told stays open: what shows smaller ones."""
    if (
        found.tells_pages
        and not found.first_stage
        and len(found.seeds) >= MINIMUM_REPLICATIONS
        and any(not found.change(name, each).direction for name in found.names[1:] for each in told)
    ):
        yield "More seeds resolve smaller differences: aqmlab compare SCENARIO.toml --until-width SECONDS."


def _least_runs(found: Comparison, quantities: Sequence[Quantity]) -> int:
    """The fewest runs in which a configuration has these numbers; 0: each has them in all or in none."""
    have = [found.level(name, each).have for name in found.names for each in quantities]
    return min((each for each in have if 0 < each < len(found.seeds)), default=0)


def _others_by_heading(found: Comparison, *, brief: bool) -> dict[str, list[Quantity]]:
    """What is told beside pages: objects, then delays and goodputs of each group, by the heading in print."""
    pages = {*OF_PEOPLE, *(OF_OBJECTS if brief and found.tells_pages else ())}
    by_heading: dict[str, list[Quantity]] = {}
    for quantity in _recorded(found):
        if quantity not in pages and not _is_zero(found, quantity):
            by_heading.setdefault(_place(found, quantity)[0], []).append(quantity)
    return by_heading


def _zero_in_every_run(found: Comparison) -> list[str]:
    """What has no row because it is zero: with its heading where other headings have it too."""
    zero = [
        each
        for each in _recorded(found)
        if _is_zero(found, each) and not each.name.startswith("under_way_percent/")
    ]
    everywhere = [_place(found, each)[1] for each in zero if "/" not in each.name]
    places = [(each, _place(found, each)) for each in zero if "/" in each.name]
    return everywhere + [
        f"{title} of {heading.removeprefix('link ')}"
        for each, (heading, title) in places
        if not (title in everywhere and heading.startswith("link "))
    ]
