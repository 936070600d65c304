"""The laws that congestion controllers are held to, each in a sentence with its source.

They are those of the controllers of the package (`crates/tcp/src/congestion/any_facts.rs`).
"""

from __future__ import annotations

WORKS = "no method raises an exception, whatever it is told"
LEGAL = "a window is at least 1 segment, a threshold 2, a quantum 1, a pace 1 bit/s (RFC 5681 equation 4)"
TIMEOUT = "after a timeout the window lets one segment leave (RFC 5681 section 3.1)"
PAUSE = "a pause opens no window (RFC 2861)"
MISTAKE = "a mistake that is taken back leaves no smaller window than there was (RFC 3522)"
SAME = "the same facts give the same answers, to a copy as well"
GROWTH = "an acknowledgement opens the window by no more than it covers, or by one (RFC 5681 section 3.1)"
UNUSED = "what the application limits opens no window (RFC 7661)"
REDUCED = "a loss, mark or timeout leaves a threshold within the window, once (RFC 5681 section 3.2)"
OVER = "the end of a reduction leaves the threshold (RFC 5681 section 3.2 step 6)"

LAWS = (WORKS, LEGAL, TIMEOUT, PAUSE, MISTAKE, SAME)
"""What every controller owes."""
LAWS_OF_RENO = (GROWTH, UNUSED, REDUCED, OVER)
"""What those owe besides that answer a loss with a smaller window: all without `on_lost`."""
