"""Repeating a paper: its experiment's folder, the study of its finished runs, its claims, the report.

Read in this order: `experiment` (what a folder says), `published` (what the paper's tables say), `study` (the
finished runs, by cell), `claims` (what the paper claims, judged), `report` (all of it on one page),
`reproduction` (from a name to the report).
"""
