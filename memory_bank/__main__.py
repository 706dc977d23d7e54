"""`python -m memory_bank`."""

import sys

from memory_bank.cli import main

sys.exit(main())
