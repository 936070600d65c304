"""What classes in files have in common, schemes and traffic models alike: their parameters, their text."""
