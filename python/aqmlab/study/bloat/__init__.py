"""How much a line delays everybody while somebody downloads, uploads, or both: bufferbloat, and its grade."""

from aqmlab.study.bloat.grade import GRADES, Grade, grade_of
from aqmlab.study.bloat.measuring import Loaded, QueueUnderLoad, measure
from aqmlab.study.bloat.phases import Phase, line_under

__all__ = ["GRADES", "Grade", "Loaded", "Phase", "QueueUnderLoad", "grade_of", "line_under", "measure"]
