"""`chainc.toml` read and checked."""

from pathlib import Path

import pytest

from compiler.loader.files import Folder
from compiler.loader.manifest import find_root, read_manifest
from compiler.project import HttpServer, Settings, StdioServer
from dsl.diagnostics import Sink

PROJECT = '[project]\nname = "acme-support"\nversion = "1.4.0"\nlanguage = "1"\n'


def read(root: Path, text: str):
    """The manifest and what was told, as (code, line, message, help)."""
    (root / "chainc.toml").write_bytes(text.encode())
    sink = Sink()
    manifest = read_manifest(Folder(root), sink)
    told = []
    for d in sink:
        assert d.span is not None
        told.append((d.code, d.span.source.position(d.span.start)[0], d.message, " ".join(d.helps)))
    return manifest, told


def test_everything_a_manifest_may_say(tmp_path):
    manifest, told = read(
        tmp_path,
        PROJECT
        + """chains = ["a/*.chain", "b.chain"]
[sources.github]
mcp = { command = "mcp-server-github", args = ["--read-write"], env = ["GITHUB_TOKEN"] }
[sources.search]
mcp = { url = "https://search.example/mcp", headers = { Authorization = "env:SEARCH_AUTH", Accept = "text/plain" } }
[server]
profile = "all"
groups = ["sales"]
stages = ["plan"]
inline_limit = "32KB"
result_limit = "1MB"
handle_limit = "2GB"
[providers.openai]
policy = "refuse"
[engine]
kind = "local"
""",
    )
    assert told == []
    assert manifest is not None
    sizes = (32_000, 1_000_000, 2_000_000_000)
    assert manifest.settings == Settings("acme-support", "1.4.0", "1", "all", ("sales",), ("plan",), *sizes, "refuse")
    assert manifest.chains == ("a/*.chain", "b.chain")
    assert manifest.sources["github"].transport == StdioServer(
        "mcp-server-github", ("--read-write",), ("GITHUB_TOKEN",)
    )
    headers = (("Accept", "text/plain"), ("Authorization", "env:SEARCH_AUTH"))
    assert manifest.sources["search"].transport == HttpServer("https://search.example/mcp", headers)


def test_a_small_manifest_has_defaults(tmp_path):
    manifest, told = read(tmp_path, "\ufeff" + PROJECT)
    assert told == []
    assert manifest is not None
    assert manifest.settings == Settings("acme-support", "1.4.0")
    assert manifest.chains == ("chains/*.chain",)


SOURCE = PROJECT + "[sources.a]\n"
WRONG = [
    ("[project\n", "E0211", 1, "This is no TOML: expected ']' at the end of a table declaration.", ""),
    ('[project]\nname = "a"\nname = "b"\n', "E0211", 3, "This is no TOML: cannot overwrite a value.", ""),
    ("a = " + "[" * 3000 + "]" * 3000, "E0211", 1, "This is nested too deeply.", ""),
    ("a = " + "[" * 493 + "]" * 493, "E0211", 1, "This is nested too deeply.", ""),
    (".".join("a" * 10_000) + " = 1", "E0211", 1, "This is nested too deeply.", ""),
    ("a = " + "1" * 5000, "E0211", 1, "A number here is too large.", ""),
    ("[project]\na = 0x" + "f" * 5000, "E0211", 1, "A number here is too large.", ""),
    ("[server]\ndiscovery_above = 9223372036854775808", "E0211", 1, "A number here is too large.", ""),
    ("", "E0213", 1, "`project` is missing.", ""),
    (
        '[project]\nname = "a"\nlanguage = "1"\n',
        "E0213",
        1,
        "`project.version` is missing.",
        'Write `version = "1.0.0"`.',
    ),
    (PROJECT + "[servr]\n", "E0212", 5, "There is no `servr` in the file.", "Did you mean `server`?"),
    (PROJECT + 'chain = ["x"]\n', "E0212", 5, "There is no `chain` in `project`.", "Did you mean `chains`?"),
    (PROJECT + 'chains = "x"\n', "E0213", 5, '`project.chains` must be a list, not "x".', ""),
    (
        PROJECT + 'chains = [\n"a",\n3]\n',
        "E0213",
        7,
        "`project.chains[1]` must be a text, not 3.",
        'Write "chains/*.chain".',
    ),
    (
        PROJECT.replace('"1.4.0"', '"1.4"'),
        "E0213",
        3,
        '`project.version` cannot be "1.4".',
        'Write something like "1.0.0".',
    ),
    (PROJECT.replace('"1"', '"2"'), "E0213", 4, '`project.language` must be "1", not "2".', ""),
    (
        PROJECT + '[server]\nprofile = "semantics"\n',
        "E0213",
        6,
        '`server.profile` must be "semantic" or "all", not "semantics".',
        "Did you mean `semantic`?",
    ),
    (
        PROJECT + '[server]\ninline_limit = "16 KB"\n',
        "E0213",
        6,
        '`server.inline_limit` cannot be "16 KB".',
        'Write something like "16KB".',
    ),
    (SOURCE, "E0213", 5, "`sources.a` needs `mcp` or `openapi` or `python`.", ""),
    (SOURCE + "mcp = {}\n", "E0213", 6, "`sources.a.mcp` needs `command` or `url`.", ""),
    (
        SOURCE + 'mcp = { command = "x", url = "https://y" }\n',
        "E0213",
        6,
        "`sources.a.mcp` has `command` and `url`; only one can be.",
        "",
    ),
    (
        SOURCE + 'mcp = { command = "x", arg = [] }\n',
        "E0212",
        6,
        "There is no `arg` in `sources.a.mcp`.",
        "Did you mean `args`?",
    ),
    (
        SOURCE + 'mcp = { command = "x", env = ["TOKEN=abc"] }\n',
        "E0213",
        6,
        '`sources.a.mcp.env[0]` cannot be "TOKEN=abc".',
        'Write something like "GITHUB_TOKEN".',
    ),
    (
        SOURCE + 'mcp = { command = "x", env = { TZ = "UTC", TOKEN = "abc" } }\n',
        "E0213",
        6,
        "`sources.a.mcp.env` must be a list, not a table.",
        'Names only: `env = ["TZ", "TOKEN"]`. Values are set where chainc starts, as by `export TZ=…`.',
    ),
    (
        SOURCE + 'mcp = { command = "x", env = { A-B = "UTC" } }\n',
        "E0213",
        6,
        "`sources.a.mcp.env` must be a list, not a table.",
        "",
    ),
    (
        PROJECT + '[sources."../x"]\nmcp = { command = "x" }\n',
        "E0213",
        5,
        "`sources.../x` is no name.",
        "Write something like github.",
    ),
    (
        SOURCE + 'openapi = { file = "x.json", auth = { bearer = "s3cr3t" } }\n',
        "E0214",
        6,
        "`sources.a.openapi.auth.bearer` holds a secret, and this file is read by many.",
        'Put it into a variable and write `bearer = "env:BEARER"`.',
    ),
    (
        SOURCE + 'python = { module = "x-y" }\n',
        "E0213",
        6,
        '`sources.a.python.module` cannot be "x-y".',
        'Write something like "acme.scoring".',
    ),
    (SOURCE + "command = {}\n", "E0213", 6, "`sources.a.command.program` is missing.", 'Write `program = "du"`.'),
    (
        PROJECT + '[engine]\nkind = "dbos"\n',
        "E0900",
        6,
        'The engine "dbos" is not supported yet.',
        'Write `kind = "local"`.',
    ),
]


@pytest.mark.parametrize(("text", "code", "line", "message", "help"), WRONG)
def test_each_mistake_is_told_at_its_line(tmp_path, text, code, line, message, help):
    _, told = read(tmp_path, text)
    assert len(told) == 1, told
    assert told[0][:2] == (code, line), told
    assert told[0][2].startswith(message.rstrip(".")), told
    assert told[0][3] == help


def test_several_mistakes_are_told_at_once(tmp_path):
    manifest, told = read(tmp_path, '[project]\nnme = "a"\nversion = "1"\n[x]\n')
    assert manifest is None
    assert [code for code, *_ in told] == ["E0213", "E0213", "E0212", "E0213", "E0212"]


SECRETS = [
    'url = "https://x/mcp", headers = { Authorization = "Bearer abcdefghijkl" }',
    'url = "https://x/mcp", headers = { Authorization = "short" }',
    'url = "https://x/mcp", headers = { X-Thing = "ghp_abcdefghijklmnopqrstuvwxyz012345 env:X" }',
    'url = "https://x/mcp", headers = { "X-Api-Key" = "k" }',
    'url = "https://x/mcp", headers = { X-Thing = "ghp_abcdefghijklmnopqrstuvwxyz012345" }',
    'url = "https://x/mcp", headers = { X-Thing = "Zm9vYmFyYmF6cXV4cXV1eDEyMzQ1Njc4" }',
    'url = "https://user:secret@x/mcp"',
    'url = "https://x/mcp?api_key=123"',
    'command = "x", args = ["--token=abc"]',
    'command = "x", args = ["sk-abcdefghijklmnopqrstuvwx"]',
    'command = "x", args = ["--api-key", "123"]',
    'command = "docker", args = ["run", "-e", "ACME_TOKEN=123"]',
    'command = "docker", args = ["run", "-e", "THING=ghp_abcdefghijklmnopqrstuvwxyz012345"]',
    'command = "npx", args = ["remote", "--header", "Authorization: 123"]',
    'command = "x", args = ["postgres://user:secret@host/data"]',
    'command = "x", args = ["https://x/mcp?token=123"]',
]


@pytest.mark.parametrize("mcp", SECRETS)
def test_a_secret_in_the_manifest_is_refused_and_not_repeated(tmp_path, mcp):
    manifest, told = read(tmp_path, SOURCE + f"mcp = {{ {mcp} }}\n")
    assert [(code, line) for code, line, *_ in told] == [("E0214", 6)]
    assert manifest is not None
    assert manifest.sources["a"].transport is None
    for secret in ("abcdefghijkl", "short", "=123", "Zm9v", "secret@", "123", "--token=abc"):
        assert secret not in told[0][2] + told[0][3]


@pytest.mark.parametrize(
    "mcp",
    [
        'url = "https://x/mcp", headers = { Authorization = "env:AUTH", Accept-Language = "de-DE" }',
        'url = "https://x/mcp", headers = { Authorization = "Bearer env:TOKEN", X-Key = "v2 key env:KEY" }',
        'url = "https://x/mcp?tenant=acme"',
        'command = "npx", args = ["-y", "@scope/server-with-a-long-name-2026.8.31", "--token-file=/run/x"]',
        'command = "docker", args = ["run", "-e", "ACME_TOKEN", "--header", "Accept: text/html", "acme/mcp"]',
        'command = "x", args = ["--token-file", "/run/x", "--token", "--verbose", "auth:read", "C:/data"]',
        'command = "x", args = ["--local-timezone", "Etc/UTC", "--repository", "some/long/path/of/a/project/v2"]',
    ],
)
def test_what_is_no_secret_is_accepted(tmp_path, mcp):
    assert read(tmp_path, SOURCE + f"mcp = {{ {mcp} }}\n")[1] == []


def test_what_has_no_effect_yet_is_told_as_a_warning(tmp_path):
    text = PROJECT + '[contracts]\nttl = "5m"\n[engine]\nstore = "sqlite:x"\n'
    manifest, told = read(tmp_path, text)
    assert manifest is not None
    assert [(code, line) for code, line, *_ in told] == [("W0227", 5)]
    assert manifest.settings.store == "sqlite:x"


def test_the_number_of_tools_above_which_they_are_searched(tmp_path):
    manifest, told = read(tmp_path, PROJECT + "[server]\ndiscovery_above = 12\n")
    assert manifest is not None
    assert (manifest.settings.discovery_above, told) == (12, [])
    without, _ = read(tmp_path, PROJECT)
    assert without is not None
    assert without.settings.discovery_above is None


@pytest.mark.parametrize(("text", "ms"), [("500ms", 500), ("10s", 10_000), ("10m", 600_000), ("1h", 3_600_000)])
def test_the_window_of_replays_is_a_time(tmp_path, text, ms):
    manifest, told = read(tmp_path, PROJECT + f'[server]\nreplay_window = "{text}"\n')
    assert manifest is not None
    assert (manifest.settings.replay_window, told) == (ms, [])


def test_the_nearest_manifest_above_is_found(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_root(tmp_path / "a" / "x.chain") is None or find_root(tmp_path) == find_root(tmp_path / "a")
    (tmp_path / "chainc.toml").write_text(PROJECT)
    assert find_root(inner / "x.chain") == tmp_path
    (tmp_path / "a" / "chainc.toml").write_text(PROJECT)
    assert find_root(inner) == tmp_path / "a"
    assert find_root(tmp_path / "chainc.toml") == tmp_path
