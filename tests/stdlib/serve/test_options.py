"""What a server may be told, and what would let in more people than is meant."""

import hashlib
import json

import pytest

from stdlib.serve.options import read_options
from stdlib.serve.visible import Choice

PRINCIPALS = ("--principals", "who.toml")


def test_without_options_the_owner_of_the_process_sees_all_chains():
    options = read_options([])
    assert options.choice == Choice("semantic")
    assert (options.http, options.host, options.principals, options.discovery_above) == (None, "127.0.0.1", None, 40)


def test_addresses_and_principals():
    options = read_options(
        [
            "--http",
            "80",
            "--host",
            "0.0.0.0",
            *PRINCIPALS,
            "--resource",
            "https://t.example/mcp",
            "--issuer",
            "http://i",
        ]
    )
    assert (options.host, options.principals) == ("0.0.0.0", "who.toml")
    assert (options.resource, options.issuer) == ("https://t.example/mcp", "http://i")


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (PRINCIPALS, "--principals is for --http"),
        (("--http", "80", "--resource", "https://t.example"), "--resource is for --principals"),
        (("--http", "80", "--issuer", "https://t.example"), "--issuer is for --principals"),
        (("--http", "80", *PRINCIPALS, "--resource", "t.example"), "--resource wants a URL like"),
        (("--http", "80", *PRINCIPALS, "--resource", "https://a:b@t.example/"), "--resource wants a URL like"),
        (("--http", "80", *PRINCIPALS, "--issuer", "https://t.example?x"), "--issuer wants a URL like"),
        (
            ("--http", "80", "--host", "0.0.0.0"),
            "--host 0.0.0.0 can be reached from other machines: say with --princip",
        ),
        (("--host", "example.org"), "--host is for --http"),
        (("--http", "80", "--host", "example.org"), "--host example.org can be reached from other machines"),
        (("--http", "80", "--host", "::", *PRINCIPALS), "--host :: wants --resource, the URL that clients use"),
        (("--discovery-above", "0"), "--discovery-above wants a number from 1"),
        (("--discovery-above", "x"), "`x` is no whole number"),
    ],
)
def test_what_is_refused(argv: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        read_options(argv)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    with pytest.raises(SystemExit):
        read_options([*argv, "--log-format", "json"])
    line = json.loads(capsys.readouterr().err)
    assert line["level"] == "error"
    assert told in line["message"]


def test_a_new_token_is_printed_with_its_digest(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        read_options(["--new-token"])
    assert ended.value.code == 0
    told = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert hashlib.sha256(told["token"].encode()).hexdigest() == told["token_sha256"]
