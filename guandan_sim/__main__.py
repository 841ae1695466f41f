"""``python -m guandan_sim``: the command line."""

import sys

from guandan_sim.cli import main

if __name__ == "__main__":
    sys.exit(main())
