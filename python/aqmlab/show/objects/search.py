"""What a search leaves behind: its folder, with the figure of the trade-off."""

from __future__ import annotations

from aqmlab import shown
from aqmlab.show.tuning_folder import save
from aqmlab.study.tuning.outcome import Outcome

shown.save.register(Outcome)(save)
