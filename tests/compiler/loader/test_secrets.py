"""What may be shown of the values that a program is configured with."""

import pytest

from compiler.loader.secrets import harmless, in_arguments


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TZ", "UTC"),
        ("LOG_LEVEL", "info"),
        ("X-MCP-Readonly", "true"),
        ("GIT_AUTHOR_NAME", "Me"),
        ("KEYBOARD", "us"),
        ("DATA", "/srv/projects/v2/data/files"),
        ("API_URL", "https://gitlab.example.com/api/v4"),
        ("EMPTY", ""),
    ],
)
def test_plain_settings_are_harmless(name, value):
    assert harmless(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GITHUB_TOKEN", "x"),
        ("GH_PAT", "x"),
        ("openaiKey", "x"),
        ("PGPASSWORD", "x"),
        ("X-Key", "x"),
        ("Authorization", "x"),
        ("DATABASE", "postgres://me:hunter2@db/x"),
        ("HEADERS", '{"Authorization": "Bearer x"}'),
        ("HOOK", "https://hooks.example/services/T0/B0/a8f3kd02jd8f73jd92kd"),
        ("ID", "a8f3kd02-jd8f-73jd-92kd-a8f3kd02jd8f"),
        ("PLAIN", "x" * 200),
        ("LINES", "a\nb"),
        ("URL", "https://x.example/?sig=1"),
    ],
)
def test_what_might_be_a_secret_is_not(name, value):
    assert not harmless(name, value)


def test_a_shell_that_puts_a_variable_in_holds_no_secret():
    assert list(in_arguments(["-c", 'exec x --api-key="$KEY" "postgres://$USER:$PASSWORD@db"'])) == []
