"""How much a line delays everybody while somebody downloads, uploads, or both: bufferbloat, and its grade."""

from aqmlab.study.bloat.grade import GRADES, Grade, grade_of
from aqmlab.study.bloat.measuring import Loaded, Phase, QueueUnderLoad, line_under, measure
from aqmlab.study.bloat.running import Bufferbloat, bloat

__all__ = [
    "GRADES",
    "Bufferbloat",
    "Grade",
    "Loaded",
    "Phase",
    "QueueUnderLoad",
    "bloat",
    "grade_of",
    "line_under",
    "measure",
]
