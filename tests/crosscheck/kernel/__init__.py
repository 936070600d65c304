"""This machine's kernel as an oracle for our TCP: `make crosscheck-kernel`."""
