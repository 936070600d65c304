"""User text made safe to print: control characters are written out.

Names, keys and messages may hold anything, and a terminal obeys escape sequences. What steers instead of
showing (control characters, reversals of the direction of writing, halves of surrogate pairs, which cannot
even be encoded) is shown as the escape that Python would write for it.
"""

from __future__ import annotations

import re

# Cc but for the line feed and the tabulator; the direction of writing; surrogates.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""The text with everything that would steer a terminal written out, such as `\x1b` for an escape."""
    return _STEERING.sub(lambda found: ascii(found.group())[1:-1], text)


def plain_line(text: str) -> str:
    """Likewise on one line: line feeds and tabulators are written out too."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")
