"""The published schemas are what the tables say, and agree with how files are read."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from compiler.loader import schemas
from compiler.loader.lock_shape import LOCK
from compiler.loader.manifest_shape import MANIFEST
from compiler.loader.shape import problems

FOLDER = Path(schemas.__file__).parent
PROJECT = {"name": "a", "version": "1.0.0", "language": "1"}


def test_the_files_are_up_to_date():
    """`python -m compiler.loader.schemas` writes them."""
    texts = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    assert texts == schemas.published()
    for text in texts.values():
        Draft202012Validator.check_schema(json.loads(text))


MANIFESTS = [
    {"project": PROJECT},
    {},
    {"project": {**PROJECT, "version": "1.0"}},
    {"project": {**PROJECT, "name": "Acme Support"}},
    {"project": {**PROJECT, "language": "2"}},
    {"project": {**PROJECT, "chains": "a"}},
    {"project": {**PROJECT, "chains": [1]}},
    {"project": {**PROJECT, "nam": "x"}},
    {"project": PROJECT, "sources": {"a": {"mcp": {"command": "x", "args": ["y"], "env": ["Z"], "cwd": "."}}}},
    {"project": PROJECT, "sources": {"a": {"mcp": {"command": "x", "env": ["Z=1"]}}}},
    {"project": PROJECT, "sources": {"a": {"mcp": {"url": "https://x/mcp", "headers": {"A": "env:B"}}}}},
    {"project": PROJECT, "sources": {"a": {"mcp": {"url": "ftp://x"}}}},
    {"project": PROJECT, "sources": {"a": {"mcp": {"url": "https://x", "command": "x"}}}},
    {"project": PROJECT, "sources": {"a": {"mcp": {}}}},
    {"project": PROJECT, "sources": {"a": {}}},
    {"project": PROJECT, "sources": {"a": {"mcp": {"command": "x"}, "openapi": {}}}},
    {"project": PROJECT, "sources": {"../a": {"mcp": {"command": "x"}}}},
    {"project": PROJECT, "sources": {"a": {"openapi": {"file": "x"}}}},
    {"project": PROJECT, "sources": {"a": {"openapi": 1}}},
    {"project": PROJECT, "server": {"profile": "some"}},
    {"project": PROJECT, "server": {"inline_limit": "16 KB"}},
    {"project": PROJECT, "server": {"inline_limit": "16KB", "replay_window": "10m", "discovery_above": 40}},
    {"project": PROJECT, "server": {"discovery_above": 0}},
    {"project": PROJECT, "server": {"discovery_above": True}},
    {"project": PROJECT, "allow": {"private_networks": "no"}},
    {"project": PROJECT, "allow": []},
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_the_schema_of_the_manifest_accepts_what_the_reader_does(manifest):
    schema = json.loads((FOLDER / "chainc.toml.schema.json").read_text("utf-8"))
    assert Draft202012Validator(schema).is_valid(manifest) == (not list(problems(MANIFEST, manifest)))


TOOL = {"alias": "a", "digest": {"schema": "0" * 64, "tool": "1" * 64}, "offered": {}}
WHOLE = {
    "format": "chainc.lock/1",
    "source": "a",
    "asked": {"command": "x"},
    "server": {"name": "", "version": ""},
    "protocol": "2026-07-28",
    "tools": [TOOL],
}


@pytest.mark.parametrize(
    "lock",
    [
        WHOLE,
        {**WHOLE, "format": "chainc.lock/2"},
        {**WHOLE, "when": "today"},
        {**WHOLE, "tools": [{**TOOL, "alias": "a-b"}]},
        {**WHOLE, "tools": [{**TOOL, "offered": None}]},
        {**WHOLE, "asked": {"command": "x", "url": "y"}},
        {**WHOLE, "package": {"name": "a", "version": "1"}},
        {},
        [],
    ],
)
def test_the_schema_of_a_lock_accepts_what_the_reader_does(lock):
    schema = json.loads((FOLDER / "chainc.lock.schema.json").read_text("utf-8"))
    assert Draft202012Validator(schema).is_valid(lock) == (not list(problems(LOCK, lock)))
