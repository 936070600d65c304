"""`aqmlab scheme`: for those who write one."""

from __future__ import annotations

from importlib import resources

import click

from aqmlab.cli.numbers import Numbers, numbers_of_rules, numbers_options
from aqmlab.terminal.console import say


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


@scheme.command
@click.argument("names", metavar="FILE.py:CLASS|LIBRARY.so:SYMBOL|NAME...", nargs=-1, required=True)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="N",
    help="Number of random cases per property.",
)
@numbers_options
def check(names: tuple[str, ...], cases: int) -> Numbers:
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
@click.argument("names", metavar="FILE.py:CLASS|LIBRARY.so:SYMBOL|NAME...", nargs=-1, required=True)
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


@scheme.command
def include() -> None:
    """Print the include folder of aqmlab_scheme.h, for C compilers.

    \b
    Examples:
      cc -O2 -ffp-contract=off -shared -fPIC -o my_red.so my_red.c \\
        -I "$(aqmlab scheme include)"
    """
    say(str(resources.files("aqmlab.schemes")))
