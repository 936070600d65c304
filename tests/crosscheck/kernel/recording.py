"""A conversation with the kernel as it happened, and its text (crates/tcp/tests/replay/recording.rs reads it)."""

from collections import Counter
from dataclasses import dataclass, field

from .tick import Tick
from .wire import Block

_BEFORE_S = 0.5
"""The clock of a conversation begins so long before its SYN at the latest."""
_AFTER_S = 0.3
"""The kernel is watched for so long after the last that happened."""
_FIRST_STAMP = 500

Stamp = tuple[int, int]


@dataclass
class Recording:
    """Numbers are relative to the first of their direction; times CLOCK_MONOTONIC in seconds."""

    group: str
    number: int
    profile: str
    timestamps: bool
    about: dict[str, float]
    events: list[tuple[float, str, Stamp | None]] = field(default_factory=list)

    def arrives(self, at: float, text: str, stamp: Stamp | None = None) -> None:
        self.events.append((at, f"< {text}", stamp))

    def sends(self, at: float, text: str, stamp: Stamp | None = None) -> None:
        self.events.append((at, f"> {text}", stamp))

    def writes(self, at: float, count: int) -> None:
        self.events.append((at, f"write {count}", None))

    def window(self, at: float, window_bytes: int) -> None:
        self.events.append((at, f"= cwnd {window_bytes}", None))

    def text(self, tick: Tick, watched_until: float) -> str:
        events = sorted(self.events, key=lambda event: event[0])
        origin = tick.origin(events[0][0] - _BEFORE_S)
        clock = self._clock_of_stamps(origin)
        lines = [f"conversation {self.group} {self.number}"]
        lines += [f"about {name} {value:g}" for name, value in self.about.items()]
        lines += [f"profile {self.profile}", "set maximum_segment_bytes = 1000", "set window_bytes = 1000000"]
        lines += [f"set timestamps = {str(self.timestamps).lower()}", f"set timer_hz = {tick.hz}"]
        lines += ["set timer_phase = shared", "open server"]
        for at, text, stamp in events:
            options = ""
            if stamp is not None and text.startswith(">"):
                options = f" ts {stamp[0] - clock}"
            elif stamp is not None:
                echo = stamp[1] - clock if stamp[1] else 0
                options = f" ts {round(1000 * (at - origin)) + _FIRST_STAMP} echo {echo}"
            lines.append(f"{at - origin:.6f} {text}{options}")
        end = min(events[-1][0] + _AFTER_S, watched_until)
        lines.append(f"{end - origin:.6f} end")
        return "\n".join(lines) + "\n"

    def _clock_of_stamps(self, origin: float) -> int:
        """What the kernel's timestamps are ahead of milliseconds since `origin`."""
        ahead = Counter(
            stamp[0] - int(1000 * (at - origin))
            for at, text, stamp in self.events
            if stamp is not None and text.startswith(">")
        )
        return ahead.most_common(1)[0][0] if ahead else 0


def blocks_text(blocks: tuple[Block, ...] | list[Block]) -> str:
    return " sack " + " ".join(f"{start}:{end}" for start, end in blocks) if blocks else ""
