"""What a simulated tool changed in the world, for those who look later: one JSON line a change.

The lines go to the file that the variable SIMULATED_JOURNAL names; without it they are forgotten.
"""

from __future__ import annotations

import json
import os
from typing import Any


def changed(what: str, **details: Any) -> None:
    """Writes down a change such as `changed("mail.send", to="ada@example.org")`."""
    path = os.environ.get("SIMULATED_JOURNAL")
    if path:
        with open(path, "a", encoding="utf-8") as lines:
            lines.write(json.dumps({"what": what, **details}, sort_keys=True) + "\n")
