"""Repeating a paper: its experiment's folder, the study of its finished runs, its claims, the report.

Read in this order: `documents` (the keys of a folder's files), `experiment` (a folder, read and checked),
`published` (what the paper's tables say), `study` (the finished runs, by cell), `claims` (what the paper
claims, judged), `tables` and `figures` (the paper's, with our numbers), `report` (all of it on one page),
`scorecard` (the verdicts of all studies), `reproduction` (from a name to the report).
"""
