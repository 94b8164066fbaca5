"""`python -m tests.discovery`: how often the first five of `find_tools` are those that a request needs."""

import sys

import pytest

from tests.corpus import load
from tests.discovery.quality import K, rows


def main() -> int:
    try:
        requests, tools = load("retrieval.jsonl"), load("retrieval_tools.jsonl")
    except pytest.skip.Exception as absent:
        print(absent, file=sys.stderr)
        return 2
    print(f"recall@{K}            requests  tools  find_tools  shared words  ratio  ms")
    for row in rows(requests, tools):
        ratio = row.ours / row.trivial if row.trivial else float("inf")
        counts = f"{row.name:20} {row.requests:8} {row.tools:6}"
        print(f"{counts} {row.ours:11.3f} {row.trivial:13.3f} {ratio:6.2f} {row.ms:5.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
