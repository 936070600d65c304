"""The sentences that users read about results: the one home of wording.

Terminal, reports, notebooks and `aqmlab play` print these sentences. `amounts` writes numbers with the unit
people use, `comparison` says what a queue discipline changes, `calls` how good calls and games are, `play`
what one run shows, `line` what users ask of it and whose boxes hold its queues, `live` what the audit of a
live run found, `pages` what pages of one's own consist of, `explained` what a name of a scenario stands for.
What is said of one kind of test alone stands beside its table.
"""
