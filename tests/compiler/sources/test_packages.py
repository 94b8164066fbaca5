"""Which package brings a program."""

import json
from importlib.metadata import version

import pytest

from compiler.project import HttpServer, StdioServer
from compiler.sources.packages import package_of


@pytest.mark.parametrize(
    ("command", "arguments", "package"),
    [
        ("npx", ("-y", "@acme/server@1.2.3"), {"name": "@acme/server", "version": "1.2.3"}),
        ("npx", ("-y", "server@2026.8.31", "a@b"), {"name": "server", "version": "2026.8.31"}),
        ("npx", ("-y", "@acme/server"), None),
        ("npx", ("-y", "@acme/server@latest"), None),
        ("uvx", ("mcp-server-git==2026.1.1",), {"name": "mcp-server-git", "version": "2026.1.1"}),
        ("npm", ("exec", "--", "server@1.2.3"), {"name": "server", "version": "1.2.3"}),
        ("npx", ("-y", "server", "other@1.2.3"), None),
        ("npx", ("server@1",), None),
        ("uvx", ("--from", "acme[x]==2.0", "server"), {"name": "acme", "version": "2.0"}),
        ("uvx", ("--from", "git+https://x.example/a@0123abc", "server"), None),
        ("docker", ("run", "-i", "acme/server:2"), None),
        ("pytest", (), {"name": "pytest", "version": version("pytest")}),
        ("no-such-program", ("x@1",), None),
    ],
)
def test_by_what_is_started(command, arguments, package):
    assert package_of(StdioServer(command, arguments)) == package


def test_a_program_of_npm_is_of_the_package_that_it_links_to(tmp_path):
    inside = tmp_path / "node_modules" / "@acme" / "server" / "dist"
    inside.mkdir(parents=True)
    (inside / "index.js").write_text("")
    (inside / "index.js").chmod(0o755)
    (inside.parent / "package.json").write_text(json.dumps({"name": "@acme/server", "version": "1.0.0"}))
    (tmp_path / "node_modules/.bin").mkdir()
    link = tmp_path / "node_modules/.bin/server"
    link.symlink_to(inside / "index.js")
    assert package_of(StdioServer(str(link))) == {"name": "@acme/server", "version": "1.0.0"}
    (inside.parent / "package.json").write_text("{")
    assert package_of(StdioServer(str(link))) is None


def test_a_server_elsewhere_has_none():
    assert package_of(HttpServer("https://a.example/mcp")) is None
