"""Tables as people see them: a module for each says what it shows of a run, a comparison, a test of a line.

`headings` has what quantities are called in all of them, `render` writes HTML and terminal text. A table as
data is `aqmlab.tables`; the tables of papers are in `aqmlab.papers.tables`.
"""
