"""What is shown to users, done as users do it: `make test-commands`."""
