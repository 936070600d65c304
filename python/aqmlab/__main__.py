"""`python -m aqmlab` is `aqmlab`."""

from aqmlab.cli import main

if __name__ == "__main__":
    main()
