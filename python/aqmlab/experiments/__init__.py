"""The experiments that are shipped: a folder for each paper, its data and the checks of its claims."""
