"""Files: read completely, checked against a shape, rejected with their place, and written atomically."""
