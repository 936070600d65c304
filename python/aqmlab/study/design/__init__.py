"""Theory of queue disciplines: loops with TCP and their margins, and filters that may be wrong.

No run is made here. What the numbers say of the simulator is for tests and studies to show.
"""
