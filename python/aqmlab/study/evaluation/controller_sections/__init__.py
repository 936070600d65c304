"""Sections of RFC 9743 that take more than a case or two of a path: a file each, with its `GUIDELINE`."""
