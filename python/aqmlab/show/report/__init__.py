"""The report: one HTML file that opens anywhere without a network, prints, and can be sent to others.

`page` knows what a page is made of and writes it; `comparison` says what happens to the people behind a
link; a study's page (`aqmlab.show.papers.report`) is made of the same parts.
"""
