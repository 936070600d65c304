"""What is asked of many runs: sweeps, searches, guidelines, tests of a line, and the design of controllers.

Each room takes scenarios to numbers; what they look like is made in `aqmlab.show`.
"""
