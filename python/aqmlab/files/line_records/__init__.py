"""What people have measured of their line with other programs."""
