"""A study of filters for flows that do not respond to congestion, over and beside a rate controller."""
