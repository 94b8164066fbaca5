"""`python -m stdlib.plan.schemas`."""

from . import write

write()
