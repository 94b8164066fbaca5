"""Regular expressions that others wrote (in refinements, claims and schemas), in the syntax of Python's `re`."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache


class BadPattern(ValueError):
    """A text that is no regular expression, or one that `re` cannot hold. Its text says why, without a full stop."""


@lru_cache(maxsize=512)
def compiled(text: str) -> re.Pattern[str]:
    """The pattern of a text. Raises BadPattern."""
    try:
        # `[[a]` is read as it always was; that a later Python may read it otherwise is nothing for stderr.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text)
    except re.error as error:
        raise BadPattern(error.msg) from None
    except OverflowError:
        raise BadPattern("a repetition has too large a number") from None
    except RecursionError:
        raise BadPattern("its groups are nested too deep") from None
