"""`python -m compiler.cli` is `chainc`."""

import sys

from compiler.cli import main

sys.exit(main())
