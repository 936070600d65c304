"""Repeating a paper: its experiment's folder, the study of its finished runs, its claims, the report.

Read in this order: `documents` (the keys of a folder's files), `published` (what the paper's tables say),
`statements` (what it claims), `experiment` (all of it), `study` (the finished runs, by cell), `claims` (what
the paper claims, judged), `experiments` (folders, read and checked), `tables` and `figures` (the paper's,
with our numbers), `scorecard` (verdicts), `report` (all of it on one page), `reproduction` (from a name to
the report).
"""
