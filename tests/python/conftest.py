"""What holds for all tests."""

import signal

# Shells start background jobs with SIGINT ignored, and so would be every process that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
