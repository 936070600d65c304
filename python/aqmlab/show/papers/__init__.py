"""What a study looks like: its report, its figures, and the page on all studies."""
