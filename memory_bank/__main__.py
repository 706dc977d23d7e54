"""`python -m memory_bank`."""

import sys

from memory_bank.app.cli import main

sys.exit(main())
