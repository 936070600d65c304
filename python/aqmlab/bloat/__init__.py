"""How much a line delays everybody while somebody downloads, uploads, or both: bufferbloat, and its grade."""

from aqmlab.bloat.grade import GRADES, Grade, grade_of
from aqmlab.bloat.line import Line, Phase
from aqmlab.bloat.measuring import Loaded, QueueUnderLoad, measure

__all__ = ["GRADES", "Grade", "Line", "Loaded", "Phase", "QueueUnderLoad", "grade_of", "measure"]
