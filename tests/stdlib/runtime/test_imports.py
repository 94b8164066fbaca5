"""What a server does not need to list its tools is not imported for it, and the runtime needs no compiler."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CODE = """
import sys
import stdlib.serve, stdlib.serve.options, stdlib.runtime.run, stdlib.connect.mcp, stdlib.serve.engine
slow = {"mcp", "mcp_types", "jsonschema", "httpx2", "uvicorn", "starlette", "dsl", "compiler", "lark", "networkx"}
print(sorted(slow & sys.modules.keys()))
from stdlib.runtime.schema import Shape
assert Shape({"type": "integer"}).mismatch(3) is None
print("jsonschema" in sys.modules)
"""


def test_slow_libraries_wait_until_they_are_needed():
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "False"]
