"""Where a server's log goes: to standard error, one line a record, bounded; as text or as JSON."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any, Literal

from ..runtime.about import known
from ..runtime.receipt import timestamp
from ..values.canonical import clean_text

Form = Literal["text", "json"]


class _Line(logging.Formatter):
    """At most 2,000 characters a record; a mistake of ours brings the end of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return _bounded(super().format(record))


class _Json(logging.Formatter):
    """One object a line: `time`, `level`, `logger`, `message`; `run`, `chain`, `step`, `principal` and `tenant` where
    they are known; `error` with the end of a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        told = _object(record.created, record.levelname.lower(), record.name, record.getMessage())
        if record.exc_info:
            told["error"] = _bounded(self.formatException(record.exc_info))
        return clean_text(json.dumps(told, ensure_ascii=False))


def set_up_log(level: str, form: Form = "text") -> None:
    """`level`: for our own records; other libraries tell errors only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if form == "json" else _Line("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
    logging.getLogger("chainc").setLevel(level.upper())
    # Its records about lines that are no messages carry whole tracebacks; ours say it in a line.
    for each in ("mcp", "client"):
        logging.getLogger(each).setLevel(logging.CRITICAL)


def announce(level: Literal["info", "warning", "error"], sentence: str, form: Form | None = None) -> None:
    """What whoever starts a server must see, whatever is logged. `form`: that of the log, where it is set up."""
    formatters = [each.formatter for each in logging.getLogger().handlers]
    if form == "json" or any(isinstance(each, _Json) for each in formatters):
        line = clean_text(json.dumps(_object(time.time(), level, "chainc.serve", sentence), ensure_ascii=False))
    else:
        line = sentence if level == "info" else f"{level}: {sentence}"
    print(line, file=sys.stderr, flush=True)


def _object(at: float, level: str, logger: str, message: str) -> dict[str, Any]:
    return {"time": timestamp(at), "level": level, "logger": logger, "message": _bounded(message), **known()}


def _bounded(text: str) -> str:
    return text if len(text) <= 2000 else f"{text[:500]} … {text[-1500:]}"
