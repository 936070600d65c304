"""`python -m tests.crosscheck`, which `make crosscheck` calls."""

import sys

from .crosscheck import main

sys.exit(main())
