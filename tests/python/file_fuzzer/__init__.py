"""A fuzzer of files: every kind of file that aqmlab reads, damaged in every way that a file can be.

A case is a kind of file, a seed and a number; the three decide every byte of it, so any case can be replayed
alone. A case ends well if the tools succeed, or refuse with one message of theirs that names the place; a
traceback, a hang, memory without bound, or a damaged result taken for a sound one is a finding.

    python -m file_fuzzer --seed 1 --cases 3000                 so many cases of every kind in turn
    python -m file_fuzzer --seed 1 --kind ranges --case 17      one case again, with its files and its output
"""
