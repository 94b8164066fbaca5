"""What command lines fetch when they start."""

from __future__ import annotations

import pytest

from compiler.loader.fetched import fetched

FETCHED = {
    # The command line, `|` at the argument that names it: the name, the version, and the argument with version 9.
    "npx -y |@scope/server": ("@scope/server", None, "@scope/server@9"),
    "npx |server@1.2.3 --flag": ("server", "1.2.3", "server@9"),
    "npx --yes |server@latest x@1.2.3": ("server", None, "server@9"),
    "npx |server@^1.2.3": ("server", None, "server@9"),
    "npx |server@1": ("server", None, "server@9"),
    "npx |server@1.2.3-beta.1": ("server", "1.2.3-beta.1", "server@9"),
    "npx --registry https://x.example -- |server": ("server", None, "server@9"),
    "npx -p |@a/tools@2.0.0 other": ("@a/tools", "2.0.0", "@a/tools@9"),
    "npx |--package=@a/tools other@1.0.0": ("@a/tools", None, "--package=@a/tools@9"),
    "npx |mine@npm:@a/real": ("@a/real", None, "mine@npm:@a/real@9"),
    "npx |acme/server": ("acme/server", None, "acme/server#9"),
    "npx |github:acme/server#0123abcd": ("github:acme/server", "0123abcd", "github:acme/server#9"),
    "npx |git+https://x.example/s.git#main": ("git+https://x.example/s.git", None, "git+https://x.example/s.git#9"),
    "/usr/bin/npx |server": ("server", None, "server@9"),
    "C:\\node\\npx.cmd |server": ("server", None, "server@9"),
    "cmd /c npx -y |server": ("server", None, "server@9"),
    "npm exec -- |server": ("server", None, "server@9"),
    "npm --prefix x exec --yes |server@1.0.0": ("server", "1.0.0", "server@9"),
    "npm x |--package=a b": ("a", None, "--package=a@9"),
    "pnpm dlx |server": ("server", None, "server@9"),
    "pnpm |--package=server@1.0.0 dlx x": ("server", "1.0.0", "--package=server@9"),
    "pnpx |server": ("server", None, "server@9"),
    "yarn dlx -q |server": ("server", None, "server@9"),
    "yarn dlx -p |server@1.0.0 x": ("server", "1.0.0", "server@9"),
    "bunx |server": ("server", None, "server@9"),
    "bun x --bun |server@1.0.0": ("server", "1.0.0", "server@9"),
    "uvx |mcp-server-x": ("mcp-server-x", None, "mcp-server-x@9"),
    "uvx |mcp-server-x@latest": ("mcp-server-x", None, "mcp-server-x@9"),
    "uvx |mcp-server-x@1.2": ("mcp-server-x", "1.2", "mcp-server-x@9"),
    "uvx |mcp-server-x==1.2": ("mcp-server-x", "1.2", "mcp-server-x@9"),
    "uvx --python 3.12 --with mcp==1.0 |a[x,y]": ("a", None, "a[x,y]@9"),
    "uvx --from |a[x]>=1,<2 a-server": ("a", None, "a[x]==9"),
    "uvx |--from=a==1.* a-server": ("a", None, "--from=a==9"),
    "uvx --from |a==1.2;python_version>'3' a-server": ("a", "1.2", "a==9"),
    "uvx --from |git+ssh://git@x.example/a@v1#subdirectory=s a": (
        "git+ssh://git@x.example/a",
        None,
        "git+ssh://git@x.example/a@9",
    ),
    "uvx --from |git+https://x.example/a@0123abc a": (
        "git+https://x.example/a",
        "0123abc",
        "git+https://x.example/a@9",
    ),
    "uvx --from |git+https://x.example/a@20240831 a": (
        "git+https://x.example/a",
        None,
        "git+https://x.example/a@9",
    ),
    f"npx |acme/server#{'0' * 40}": ("acme/server", "0" * 40, "acme/server#9"),
    "uvx --with b |a@1": ("a", "1", "a@9"),
    "uv tool run |a": ("a", None, "a@9"),
    "uv run --with |mcp[cli] mcp run server.py": ("mcp", None, "mcp[cli]==9"),
    "uv run --extra a -w |mcp==1.2 server.py": ("mcp", "1.2", "mcp==9"),
    "uv --directory x tool run --from |a==1 b": ("a", "1", "a==9"),
    "pipx run |a": ("a", None, "a==9"),
    "pipx run --spec |a==1 b": ("a", "1", "a==9"),
    "docker run -i --rm -e TOKEN |acme/server": ("acme/server", None, "acme/server:9"),
    "docker run -itp 80:80 --mount type=bind,src=/a |acme/server:latest x": ("acme/server", None, "acme/server:9"),
    "docker run --pull=always -v/a:/b |x.example:5000/server:2": (
        "x.example:5000/server",
        "2",
        "x.example:5000/server:9",
    ),
    "docker container run |server@sha256:00": ("server", "sha256:00", "server:9"),
    "podman run --replace --name n |server": ("server", None, "server:9"),
}


@pytest.mark.parametrize("line", FETCHED)
def test_what_is_fetched(line):
    words = line.split()
    at = next(n for n, each in enumerate(words) if each.startswith("|")) - 1
    command, *args = [each.removeprefix("|") for each in words]
    found = fetched(command, args)[0]
    assert (found.at, found.name, found.version, found.pinned("9")) == (at, *FETCHED[line])


@pytest.mark.parametrize(
    "line",
    [
        "mcp-server-git --npx x",
        "npx",
        "npx -y",
        "npx -p",
        "npx --no-install server",
        "npx ./server",
        "npx -c server",
        "npx https://x.example/server-1.0.0.tgz",
        "npm run server",
        "npm install server",
        "pnpm exec server",
        "yarn server",
        "bun run server.ts",
        "uv run server.py",
        "uv run --with ./mine server.py",
        "npx -p a --no-install b",
        "uvx --from a --exclude-newer 2026-01-01 b",
        "uv tool install a",
        "uvx --from . a",
        "uvx --from ./a.whl a",
        "uvx --exclude-newer 2026-01-01 a",
        "uvx --constraints pins.txt a",
        "pipx run --path a.py",
        "pipx run a.py",
        "docker compose run server",
        "docker start server",
        "docker run -it --",
        "cmd /c",
    ],
)
def test_nothing_is_fetched_or_it_cannot_be_seen(line):
    command, *args = line.split()
    assert fetched(command, args) == ()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("npx -p a@1.0.0 -p b b", [("a", "1.0.0", "a@9", False), ("b", None, "b@9", False)]),
        ("npx -p a --package=./mine b", [("a", None, "a@9", False)]),
        ("npx -p a -c b", [("a", None, "a@9", False)]),
        (
            "uvx --with b[x,y]>=1,<2 --with c==1 a@1.0",
            [
                ("a", "1.0", "a@9", False),
                ("b", None, "b[x,y]==9", True),
                ("c", "1", "c==9", True),
            ],
        ),
        (
            "uvx --with=b[x],c,d==1 --from a==1.0 s",
            [
                ("a", "1.0", "a==9", False),
                ("b", None, "--with=b[x]==9,c,d==1", True),
                ("c", None, "--with=b[x],c==9,d==1", True),
                ("d", "1", "--with=b[x],c,d==9", True),
            ],
        ),
        ("pipx run --with b a==1", [("a", "1", "a==9", False), ("b", None, "b==9", True)]),
    ],
)
def test_several_packages(line, told):
    command, *args = line.split()
    found = fetched(command, args)
    assert [(each.name, each.version, each.pinned("9"), each.beside) for each in found] == told


def test_braces_in_an_argument_stay():
    (found,) = fetched("npx", ["--package={x}"])
    assert found.pinned("9") == "--package={x}@9"
