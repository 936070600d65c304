"""`aqmlab controller`: for those who write a congestion controller."""

from __future__ import annotations

from importlib import resources

import click

from aqmlab.cli.numbers import Numbers, numbers_of_rules, numbers_options
from aqmlab.terminal.console import say


@click.group
def controller() -> None:
    """Test your own congestion controller.

    \b
    Examples:
      aqmlab controller check my_aimd.py:Aimd
      cc -O2 -ffp-contract=off -shared -fPIC -o my_aimd.so my_aimd.c \\
        -I "$(aqmlab controller include)"
    """


@controller.command
@click.argument("names", metavar="FILE.py:CLASS|LIBRARY.so:SYMBOL...", nargs=-1, required=True)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="Number of random cases, of 200 facts each.",
)
@numbers_options
def check(names: tuple[str, ...], cases: int) -> Numbers:
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


@controller.command
def include() -> None:
    """Print the include folder of aqmlab_controller.h, for C compilers.

    \b
    Examples:
      cc -O2 -ffp-contract=off -shared -fPIC -o my_aimd.so my_aimd.c \\
        -I "$(aqmlab controller include)"
    """
    say(str(resources.files("aqmlab.controllers")))


def _in_words(laws: int, broken: int) -> str:
    return f"breaks {broken} of {laws} rules" if broken else f"keeps all {laws} rules"
