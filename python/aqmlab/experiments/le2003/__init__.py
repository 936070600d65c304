"""Le, Aikat, Jeffay and Smith: The Effects of Active Queue Management on Web Performance (SIGCOMM 2003)."""
