"""What reaches a terminal: text that steers nothing, misspelt names with the nearest known one, progress."""
