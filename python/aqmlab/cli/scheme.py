"""`aqmlab scheme`: for those who write one."""

from __future__ import annotations

from importlib import resources

import click

from aqmlab.terminal.console import say


@click.group
def scheme() -> None:
    """Test your own scheme, and measure its cost.

    \b
    Examples:
      aqmlab scheme check my_red.py:MyRed
      cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab scheme include)" my_red.c -o my_red.so
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
def check(names: tuple[str, ...], cases: int) -> None:
    """Run the conformance suite on schemes.

    With random ports, parameters and traffic it checks that every packet is accounted for, limits hold,
    packets stay in order, only markable packets are marked, probabilities lie between 0 and 1, reported
    values are finite, the same seed gives the same verdicts, and a link that is offered more than it
    carries is not idle for ever. The exit code is 2 if a check fails.

    \b
    Examples:
      aqmlab scheme check my_red.py:MyRed
      aqmlab scheme check my_red.so:my_red --cases 1000
    """
    from aqmlab.schemes.trial import check as checked

    found = {name: checked(name, cases=cases) for name in names}
    for name, findings in found.items():
        say(f"{name}: nothing found" if not findings else f"{name}:")
        for finding in findings:
            say(str(finding))
    if any(found.values()):
        raise click.exceptions.Exit(2)


@scheme.command
@click.argument("names", metavar="FILE.py:CLASS|LIBRARY.so:SYMBOL|NAME...", nargs=-1, required=True)
def cost(names: tuple[str, ...]) -> None:
    """Measure the time per packet at a port on this machine.

    It is the time of an arrival and a departure.

    \b
    Examples:
      aqmlab scheme cost red my_red.py:MyRed my_red.so:my_red
    """
    from aqmlab.schemes.trial import cost_ns

    for name in names:
        say(f"{name}: {cost_ns(name):,.0f} ns per packet")


@scheme.command
def include() -> None:
    """Print the include folder of aqmlab_scheme.h, for C compilers.

    \b
    Examples:
      cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab scheme include)" my_red.c -o my_red.so
    """
    say(str(resources.files("aqmlab.schemes")))
