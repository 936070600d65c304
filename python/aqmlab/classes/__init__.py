"""What classes in files have in common, whatever they are: their parameters, their text."""
