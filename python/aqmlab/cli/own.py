"""`aqmlab scheme`, `controller`, `model` and `pages`: for those who write or record their own."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from aqmlab.cli.numbers import Numbers, numbers_of_rules, numbers_options
from aqmlab.cli.options import output_option
from aqmlab.files.folders import write_whole
from aqmlab.terminal.console import say

_OBJECT = "FILE.py:CLASS|LIBRARY.so:SYMBOL"


@click.group
def scheme() -> None:
    """Test your own scheme, and measure its cost.

    \b
    Examples:
      aqmlab scheme check my_red.py:MyRed
      cc -O2 -ffp-contract=off -shared -fPIC -o my_red.so my_red.c \\
        -I "$(aqmlab scheme include)"
      aqmlab scheme cost my_red.py:MyRed my_red.so:my_red red
    """


@scheme.command("check")
@click.argument("names", metavar=f"{_OBJECT}|NAME...", nargs=-1, required=True)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="N",
    help="Number of random cases per property.",
)
@numbers_options
def check_scheme(names: tuple[str, ...], cases: int) -> Numbers:
    """Run the conformance suite on schemes.

    With random ports, parameters and traffic it checks that every packet is accounted for, limits hold,
    packets stay in order, only markable packets are marked, probabilities lie between 0 and 1, reported
    values are finite, the same seed gives the same verdicts, and a link that is offered more than it carries
    is not idle for ever. The exit code is 2 if a check fails.

    \b
    Examples:
      aqmlab scheme check my_red.py:MyRed
      aqmlab scheme check my_red.so:my_red --cases 1000
    """
    from aqmlab import _core
    from aqmlab.schemes.trial import check as checked
    from aqmlab.schemes.trial import in_lines, in_words

    found = {name: checked(name, cases=cases) for name in names}
    for name, findings in found.items():
        say(f"{name}: {in_words(findings)}")
        for line in in_lines(findings):
            say(line)
    checks = dict.fromkeys(found, _core.scheme_checks())
    return numbers_of_rules("checks", checks, found, lambda finding: finding.property)


@scheme.command
@click.argument("names", metavar=f"{_OBJECT}|NAME...", nargs=-1, required=True)
@numbers_options
def cost(names: tuple[str, ...]) -> Numbers:
    """Measure the time per packet at a port on this machine.

    It is the time of an arrival and a departure.

    \b
    Examples:
      aqmlab scheme cost red my_red.py:MyRed my_red.so:my_red
    """
    from aqmlab.schemes.trial import cost_ns
    from aqmlab.statistics.tidy import tidy_numbers

    costs = {}
    for name in names:
        costs[name] = cost_ns(name)
        say(f"{name}: {costs[name]:,.0f} ns per packet")
    return Numbers(
        lambda: tidy_numbers((name, None, {"per_packet_ns": each}) for name, each in costs.items())
    )


@scheme.command("include")
def include_of_schemes() -> None:
    """Print the include folder of aqmlab_scheme.h, for C compilers.

    \b
    Examples:
      cc -O2 -ffp-contract=off -shared -fPIC -o my_red.so my_red.c \\
        -I "$(aqmlab scheme include)"
    """
    say(str(resources.files("aqmlab.schemes")))


@click.group
def controller() -> None:
    """Test your own congestion controller.

    \b
    Examples:
      aqmlab controller check my_aimd.py:Aimd
      cc -O2 -ffp-contract=off -shared -fPIC -o my_aimd.so my_aimd.c \\
        -I "$(aqmlab controller include)"
    """


@controller.command("check")
@click.argument("names", metavar=f"{_OBJECT}...", nargs=-1, required=True)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of random cases, of 200 facts each.",
)
@numbers_options
def check_controller(names: tuple[str, ...], cases: int) -> Numbers:
    """Check the rules of controllers on random facts.

    With each controller's defaults: a window of a segment or more, one segment after a timeout, no growth by
    a pause or where the application limits, and others, each with its RFC. One with on_lost is held to those
    of every controller, others also to those of Reno's kin. The exit code is 2 if a rule is broken.

    \b
    Examples:
      aqmlab controller check my_aimd.py:Aimd
      aqmlab controller check my_aimd.py:Aimd --cases 1000
      aqmlab controller check my_aimd.so:my_aimd
    """
    from aqmlab.controllers.trial import check as checked
    from aqmlab.controllers.trial import laws_of

    found = {name: checked(name, cases=cases) for name in names}
    laws = {name: laws_of(name) for name in found}
    for name, broken in found.items():
        say(f"{name}: {_in_words(len(laws[name]), len(broken))}")
        for each in broken:
            say(str(each))
    return numbers_of_rules("rules", laws, found, lambda broken: broken.law)


@controller.command("include")
def include_of_controllers() -> None:
    """Print the include folder of aqmlab_controller.h, for C compilers.

    \b
    Examples:
      cc -O2 -ffp-contract=off -shared -fPIC -o my_aimd.so my_aimd.c \\
        -I "$(aqmlab controller include)"
    """
    say(str(resources.files("aqmlab.controllers")))


def _in_words(laws: int, broken: int) -> str:
    return f"breaks {broken} of {laws} rules" if broken else f"keeps all {laws} rules"


@click.group
def model() -> None:
    """Test your own traffic model.

    \b
    Examples:
      aqmlab model check my_pages.py:News
    """


@model.command("check")
@click.argument("names", metavar="FILE.py:CLASS...", nargs=-1, required=True)
@numbers_options
def check_model(names: tuple[str, ...]) -> Numbers:
    """Draw pages of traffic models twice, and describe them.

    With each model's defaults it draws the 200 pages that a scenario draws when it is read, again in reverse
    order, and prints the numbers of objects, their sizes, the think times, and the time per page on this
    machine. The exit code is 2 if a page is refused or differs the second time.

    \b
    Examples:
      aqmlab model check my_pages.py:News
    """
    from aqmlab.models.loading import check as checked
    from aqmlab.show.words.pages import numbers_of, sample_in_words
    from aqmlab.statistics.tidy import tidy_numbers

    found = {name: checked(name) for name in names}
    for name, sample in found.items():
        say(f"{name}: passes")
        for line in sample_in_words(sample):
            say(f"  {line}")
    return Numbers(lambda: tidy_numbers((name, None, numbers_of(each)) for name, each in found.items()))


@click.group
def pages() -> None:
    """Use your own pages: convert browser recordings.

    The traffic model `pages` reads the converted file.

    \b
    Examples:
      aqmlab pages import front.har article.har -o own.csv
    """


@pages.command("import")
@click.argument("har_files", metavar="FILE.har...", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option("FILE.csv", "Output file, one object per line.", required=True)
def import_(*, har_files: tuple[Path, ...], output: Path) -> None:
    """Convert HAR files to a page file.

    A browser's network panel saves HAR files. Sizes are transfer sizes if the browser recorded them; the
    command prints their source and the number of skipped entries. Hosts and waves of requests are kept; names
    and contents are not.

    \b
    Examples:
      aqmlab pages import front.har article.har -o own.csv
      aqmlab run household.toml \\
        --set 'populations.0.model={ model = "pages", pages_file = "own.csv" }'
    """
    from aqmlab.files import har
    from aqmlab.show.words.pages import origins_in_words, pages_in_words

    recordings = [har.read_recording(file) for file in har_files]
    found = [page for recording in recordings for page in recording.pages]
    write_whole(output, har.as_lines(found))
    for line in (*pages_in_words(found), *origins_in_words(recordings)):
        say(line)
    say(f'written: {output}; in a scenario: model = {{ model = "pages", pages_file = "{output.name}" }}')
