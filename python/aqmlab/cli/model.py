"""`aqmlab model`: for those who write a traffic model."""

from __future__ import annotations

import click

from aqmlab.cli.numbers import Numbers, numbers_options
from aqmlab.terminal.console import say


@click.group
def model() -> None:
    """Test your own traffic model.

    \b
    Examples:
      aqmlab model check my_pages.py:News
    """


@model.command
@click.argument("names", metavar="FILE.py:CLASS...", nargs=-1, required=True)
@numbers_options
def check(names: tuple[str, ...]) -> Numbers:
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
