"""Files: read whole and refused with their place, held against a shape, written whole or not at all."""
