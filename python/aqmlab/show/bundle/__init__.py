"""`aqmlab.bundle`: results as one archive that can be published with a paper, and repeated."""

from aqmlab.show.bundle.bundling import bundle

__all__ = ["bundle"]
