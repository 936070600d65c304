"""The groups of conversations: what the kernel does in them, and which profile of ours stands in its place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    name: str
    congestion: str | None
    """The kernel's congestion control where it sends, none where it receives."""
    timestamps: bool
    profile: str


GROUPS = {
    group.name: group
    for group in (
        Group("cubic", "cubic", False, "linux6-cubic"),
        Group("cubic-timestamps", "cubic", True, "linux6-cubic"),
        Group("reno", "reno", False, "linux6-reno"),
        Group("reno-timestamps", "reno", True, "linux6-reno"),
        Group("receiver", None, False, "linux6-cubic"),
    )
}
