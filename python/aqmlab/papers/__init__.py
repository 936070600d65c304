"""Repeating a paper: its experiment's folder, the study of its finished runs, its claims, the report.

Read in this order: `documents` (the keys of a folder's files), `published` (what the paper's tables say),
`experiment` (all that is data), `study` (the finished runs, by cell), `frame` (our numbers beside the
paper's), `claims` (what the paper claims, judged), `experiments` (folders and their claims, read and
checked), `tables` (selected from the frame), `scorecard` (verdicts), `reproduction` (from a name to the
runs). The report and its figures are `aqmlab.show.papers`.
"""
