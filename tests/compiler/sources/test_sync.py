"""`chainc sync` against servers that behave and servers that do not."""

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from compiler.loader import load
from compiler.project import StdioServer
from compiler.sources import lock_text
from compiler.sources.offer import Offer, OfferedTool
from compiler.sources.report import SourceReport
from compiler.sources.sync import sync
from compiler.sources.trust import Question, Trust
from dsl.diagnostics import Sink
from stdlib.plan.digest import tool_digest
from stdlib.values.digest import digest
from tests.servers import scripted

SERVER = Path(scripted.__file__)
PROJECT = '[project]\nname = "p"\nversion = "1.0.0"\nlanguage = "1"\nchains = ["*.chain"]\n'


def project(root: Path, **scripts: object) -> Path:
    """A project with one source for each script."""
    text = PROJECT
    for name, script in scripts.items():
        file = root / f"{name}.script.json"
        file.write_text(json.dumps(script))
        command = json.dumps([sys.executable, [str(SERVER), str(file)]])
        program, args = json.loads(command)
        text += f"[sources.{name}]\nmcp = {{ command = {json.dumps(program)}, args = {json.dumps(args)} }}\n"
    (root / "chainc.toml").write_text(text)
    return root


def run(root: Path, *names: str, write: bool = True, timeout: float = 20.0):
    sink = Sink()
    report = sync(root, names, sink, write=write, ask=None, timeout=timeout)
    assert report is not None
    return report, [(d.code, d.message) for d in sink]


def tool(name: str = "get_issue", **parameters: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return {"name": name, "description": "Gets it.", "inputSchema": schema}


def test_a_lock_holds_what_was_offered_and_can_be_loaded(tmp_path):
    offered = {**tool("find-ticket", z={"type": "string"}, a={"type": "integer", "default": None}), "title": "Find"}
    project(tmp_path, tickets={"tools": [offered, tool("b")], "server": ["Tickets", "2.1"]})
    report, told = run(tmp_path)
    assert told == []
    assert report.written == ("lock/tickets.json",)
    assert [(s.name, s.outcome, s.tools, s.server) for s in report.sources] == [("tickets", "new", 2, "Tickets 2.1")]
    text = (tmp_path / "lock/tickets.json").read_text()
    lock = json.loads(text)
    assert text.endswith("}\n")
    assert str(tmp_path) not in json.dumps({k: v for k, v in lock.items() if k != "asked"})
    assert [t["offered"]["name"] for t in lock["tools"]] == ["b", "find-ticket"]
    assert lock["tools"][1]["alias"] == "find_ticket"
    assert lock["tools"][1]["offered"] == offered
    assert list(lock["tools"][1]["offered"]["inputSchema"]["properties"]) == ["z", "a"]
    assert lock["tools"][1]["digest"]["schema"] == tool_digest("find-ticket", offered["inputSchema"], None)
    assert lock["protocol"] == "2025-06-18"
    (tmp_path / "a.chain").write_text('import t from mcp "tickets"\n')
    sink = Sink()
    loaded = load(tmp_path, sink)
    assert loaded is not None
    assert list(sink) == []
    assert loaded.sources["tickets"].tools["find-ticket"].alias == "find_ticket"


def test_the_same_answer_gives_the_same_bytes_and_is_not_written_again(tmp_path):
    project(tmp_path, tickets={"tools": [tool("b"), tool("a")]})
    run(tmp_path)
    first = (tmp_path / "lock/tickets.json").read_bytes()
    project(tmp_path, tickets={"tools": [tool("a"), tool("b")]})
    report, told = run(tmp_path)
    assert (report.written, told) == ((), [])
    assert report.sources[0].outcome == "same"
    assert (tmp_path / "lock/tickets.json").read_bytes() == first


def test_drift_is_told_in_words_and_not_written_by_a_check(tmp_path):
    project(tmp_path, github={"tools": [tool(repo={"type": "string"}, number={"type": "integer"})]})
    run(tmp_path)
    before = (tmp_path / "lock/github.json").read_bytes()
    project(tmp_path, github={"tools": [tool(repo={"type": "string"}), tool("extra")], "server": ["scripted", "2.0"]})
    report, told = run(tmp_path, write=False)
    what = "`github` does not match the server: `extra` is new."
    assert told == [("E0205", f"The saved description of {what}")]
    assert [str(change) for change in report.sources[0].changes] == ["`extra` is new", "`get_issue` lost `number`"]
    assert report.sources[0].about == ("it was scripted 1.0 and is scripted 2.0",)
    assert (tmp_path / "lock/github.json").read_bytes() == before
    report, told = run(tmp_path)
    assert (report.sources[0].outcome, told) == ("changed", [])
    assert run(tmp_path, write=False)[1] == []


def test_another_version_of_the_package_is_told(tmp_path, monkeypatch):
    project(tmp_path, github={})
    for version, outcome, about in (
        ("1.0.0", "new", ()),
        ("1.0.0", "same", ()),
        ("1.1.0", "changed", ("its package was acme 1.0.0 and is acme 1.1.0",)),
    ):
        monkeypatch.setattr(lock_text, "package_of", lambda _, version=version: {"name": "acme", "version": version})
        (found,) = run(tmp_path)[0].sources
        assert (found.outcome, found.about) == (outcome, about)


def test_what_is_not_accepted_is_not_written(tmp_path):
    project(tmp_path, a={}, b={})
    run(tmp_path)
    before = {each.name: each.read_bytes() for each in (tmp_path / "lock").iterdir()}
    project(tmp_path, a={"tools": [tool()]}, b={"tools": [tool()]}, c={})
    asked: list[tuple[str, list[str]]] = []

    def accept(changed: SourceReport) -> bool:
        asked.append((changed.name, [str(each) for each in changed.changes]))
        return changed.name == "b"

    sink = Sink()
    report = sync(tmp_path, (), sink, write=True, ask=None, accept=accept, timeout=20)
    assert report is not None
    assert [each.outcome for each in report.sources] == ["declined", "changed", "new"]
    assert report.written == ("lock/b.json", "lock/c.json")
    assert asked == [(name, ["`echo` is gone", "`get_issue` is new"]) for name in "ab"]
    assert (tmp_path / "lock/a.json").read_bytes() == before["a.json"]


def test_a_check_without_a_lock_says_so(tmp_path):
    project(tmp_path, github={})
    assert [code for code, _ in run(tmp_path, write=False)[1]] == ["E0219"]
    assert not (tmp_path / "lock").exists()


BAD = {
    "exits": ({"start": "exit"}, "E0222", "ended with exit code 3"),
    "hangs": ({"start": "hang"}, "E0223", "within 4 s"),
    "babbles": ({"start": "garbage"}, "E022", ""),
    "lists_nothing": ({"list": "hang"}, "E0223", "within 4 s"),
    "lists_garbage": ({"list": "garbage"}, "E022", ""),
    "repeats": ({"list": "repeat"}, "E0222", "repeats a page"),
    "never_ends": ({"list": "forever"}, "E0223", "within 4 s"),
    "refuses": ({"list": "refuse"}, "E0222", ""),
    "floods": ({"list": 10_000_000}, "E0224", "10 MB"),
    "hides": ({"tools": [tool("get\u202eissue")]}, "E0225", "U+202E"),
    "hides_parameter": ({"tools": [tool("get_issue", **{"a\u0007": {}})]}, "E0225", "U+0007"),
    "twice": ({"tools": [tool(), tool()]}, "E0222", "two tools named"),
}


def test_every_bad_server_has_its_own_message_and_the_good_one_is_locked(tmp_path):
    scripts = {name: script for name, (script, _, _) in BAD.items()}
    project(tmp_path, good={}, **scripts)
    report, told = run(tmp_path, timeout=4.0)
    assert report.written == ("lock/good.json",)
    assert {s.name: s.outcome for s in report.sources} == {"good": "new", **dict.fromkeys(BAD, "failed")}
    assert sorted(p.name for p in (tmp_path / "lock").iterdir()) == ["good.json"]
    for name, (_, code, words) in BAD.items():
        mine = [(c, m) for c, m in told if f"`{name}`" in m]
        assert len(mine) == 1, (name, told)
        assert mine[0][0].startswith(code), mine
        assert words in mine[0][1], mine


def test_variables_that_are_not_set_are_told_and_named_where_the_program_ends(tmp_path, monkeypatch):
    monkeypatch.delenv("NOT_SET_ANYWHERE", raising=False)
    monkeypatch.delenv("NOR_THIS", raising=False)
    monkeypatch.setenv("SET_AND_EMPTY", "")
    project(tmp_path, fine={}, ends={"start": "exit"})
    manifest = (tmp_path / "chainc.toml").read_text()
    fine, ends = 'env = ["NOT_SET_ANYWHERE", "SET_AND_EMPTY"] }', 'env = ["NOT_SET_ANYWHERE", "NOR_THIS"] }'
    first, second, third = manifest.split(" }\n")
    (tmp_path / "chainc.toml").write_text(f"{first}, {fine}\n{second}, {ends}\n{third}")
    report, told = run(tmp_path)
    both = "The variables `NOT_SET_ANYWHERE` and `NOR_THIS` are not set"
    assert told == [
        ("W0237", "The variable `NOT_SET_ANYWHERE`, which `env` of `fine` names, is not set."),
        (
            "E0222",
            "The server of `ends` ended with exit code 3 before it listed its tools. "
            f"{both}. Its last words: cannot find the database",
        ),
        ("W0237", f"{both.replace('` are', '`, which `env` of `ends` names, are')}."),
    ]
    assert [each.outcome for each in report.sources] == ["new", "failed"]


def test_who_makes_us_wait_is_told_once(tmp_path, monkeypatch):
    monkeypatch.setattr("compiler.sources.sync.PATIENCE", 0.01)
    project(tmp_path, silent={"start": "hang"})
    waited: list[tuple[str, float]] = []
    sink = Sink()
    sync(tmp_path, (), sink, write=True, ask=None, waiting=lambda *told: waited.append(told), timeout=2)
    assert [each.code for each in sink] == ["E0223"]
    assert waited == [("silent", 2)]


def test_a_program_that_is_not_there(tmp_path):
    (tmp_path / "chainc.toml").write_text(PROJECT + '[sources.x]\nmcp = { command = "no-such-program-here" }\n')
    assert run(tmp_path)[1] == [("E0222", "The program `no-such-program-here` of `x` is not installed.")]


@pytest.mark.parametrize(
    ("allow", "host", "message", "helps"),
    [
        (
            "",
            "127.0.0.1",
            "The host `127.0.0.1` of `x` has a loopback address, which is not allowed.",
            ("Write `private_networks = true` in `[allow]` of `chainc.toml` if it may be reached.",),
        ),
        (
            "[allow]\nprivate_networks = true\n",
            "169.254.169.254",
            "The host `169.254.169.254` of `x` has a special address, which is not allowed.",
            (),
        ),
        ("", "2130706433", "The URL of `x` has a host that looks like an address, but is not written like one.", ()),
    ],
)
def test_where_servers_behind_a_url_may_be(tmp_path, allow, host, message, helps):
    (tmp_path / "chainc.toml").write_text(PROJECT + f'[sources.x]\nmcp = {{ url = "http://{host}:9/mcp" }}\n{allow}')
    sink = Sink()
    sync(tmp_path, (), sink, write=True, ask=None, timeout=20)
    assert [(each.code, each.message, each.helps) for each in sink] == [("E0222", message, helps)]


def test_a_failing_server_leaves_the_old_lock(tmp_path):
    project(tmp_path, github={})
    run(tmp_path)
    before = (tmp_path / "lock/github.json").read_bytes()
    project(tmp_path, github={"start": "exit"})
    run(tmp_path)
    assert (tmp_path / "lock/github.json").read_bytes() == before


def test_only_the_named_sources_are_asked(tmp_path):
    project(tmp_path, a={}, b={})
    report, told = run(tmp_path, "b", "bb")
    assert report.written == ("lock/b.json",)
    assert told == [("E0218", "The manifest has no source `bb`.")]


def test_a_lock_folder_that_leads_out_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "p"
    root.mkdir()
    project(root, a={})
    (root / "lock").symlink_to(outside)
    assert [code for code, _ in run(root)[1]] == ["E0217"]
    assert list(outside.iterdir()) == []


def test_half_a_character_is_in_no_lock():
    offered = {**tool(a={"type": "string", "description": "of \udcff"}), "description": "Gets \ud800"}
    offer = Offer("\udc80", "1", (OfferedTool(offered),))
    value = lock_text.lock_value("a", StdioServer(command="a"), offer, {})
    assert lock_text.lock_text(value).encode()
    assert value["server"]["name"] == "\ufffd"
    assert value["tools"][0]["offered"]["description"] == "Gets \ufffd"
    assert value["tools"][0]["digest"]["tool"] == digest(value["tools"][0]["offered"])
    with pytest.raises(lock_text.Unfit, match="whose name"):
        lock_text.lock_value("a", StdioServer(command="a"), Offer("", "", (OfferedTool(tool("\ud800")),)), {})


def test_what_cannot_be_seen_is_escaped_in_the_lock(tmp_path):
    project(tmp_path, a={"tools": [{**tool(), "description": "Gets\u202e it\u200b é"}]})
    run(tmp_path)
    text = (tmp_path / "lock/a.json").read_text("utf-8")
    assert r"Gets\u202e it\u200b é" in text
    assert json.loads(text)["tools"][0]["offered"]["description"] == "Gets\u202e it\u200b é"


# ------------------------------------------------------------------ trust


def test_a_program_is_started_only_after_a_yes_which_is_kept(tmp_path):
    root = tmp_path / "p"
    root.mkdir()
    project(root, a={})
    asked: list[Question] = []

    def ask(answer: bool):
        def callback(question: Question) -> bool:
            asked.append(question)
            return answer

        return callback

    trust = Trust(tmp_path / "state" / "trust.json")
    sink = Sink()
    report = sync(root, [], sink, write=True, ask=ask(False), trust=trust)
    assert report is not None
    assert report.sources[0].outcome == "failed"
    assert [d.code for d in sink] == ["E0226"]
    assert "scripted.py" in asked[0].lines[0]
    assert not (root / "lock").exists()
    for _ in range(2):
        again = sync(root, [], Sink(), write=True, ask=ask(True), trust=trust)
        assert again is not None
        assert again.sources[0].outcome in ("new", "same")
    assert len(asked) == 2
    project(root, a={"server": ["x", "1"]}, b={})
    sync(root, ["a"], Sink(), write=True, ask=ask(True), trust=trust)
    assert len(asked) == 2
    sync(root, ["b"], Sink(), write=True, ask=ask(True), trust=trust)
    assert len(asked) == 3
    assert (tmp_path / "state" / "trust.json").stat().st_mode & 0o777 == 0o600


def test_variables_go_to_a_server_only_after_a_yes_which_is_kept(tmp_path, monkeypatch):
    """Nobody listens there: who is asked is told so, and who is not asked is sent nothing."""
    headers = '{ X-A = "env:CHAINC_TEST_A", Authorization = "Bearer env:CHAINC_TEST_B", X-C = "c" }'
    for name in ("CHAINC_TEST_A", "CHAINC_TEST_B"):
        monkeypatch.setenv(name, "hush")
    asked: list[Question] = []
    trust = Trust(tmp_path / "trust.json")

    def told(url: str, headers: str, answer: bool = False) -> list[str]:
        (tmp_path / "chainc.toml").write_text(f'{PROJECT}[sources.a]\nmcp = {{ url = "{url}", headers = {headers} }}\n')
        sink = Sink()

        def ask(question: Question) -> bool:
            asked.append(question)
            return answer

        sync(tmp_path, [], sink, write=True, ask=ask, trust=trust)
        return [d.message if d.code == "E0226" else d.code for d in sink]

    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    refused = ["`a` was not asked: what is sent to it was not agreed to."]
    assert told(f"{url}/mcp", headers) == refused
    assert asked[-1].lines == (f"CHAINC_TEST_A, CHAINC_TEST_B to {url}",)
    assert told(f"{url}/mcp", headers, answer=True) == ["E0222"]
    assert told(f"{url}/other", '{ X-D = "env:CHAINC_TEST_A" }') == ["E0222"]
    assert told(f"{url}/mcp", '{ X-C = "c" }') == ["E0222"]
    assert len(asked) == 2
    assert told("http://elsewhere.example/mcp", headers) == refused
    assert told(f"{url}/mcp", '{ X-A = "env:CHAINC_TEST_C" }') == refused


def test_agreement_is_for_one_project(tmp_path):
    from compiler.project import StdioServer

    trust = Trust(tmp_path / "trust.json")
    server = StdioServer("x", ("--y",))
    trust.record(tmp_path / "a", server)
    assert trust.knows(tmp_path / "a", server)
    assert not trust.knows(tmp_path / "b", server)
    assert not trust.knows(tmp_path / "a", StdioServer("x", ("--z",)))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "chainc.trust/1"}', '{"format": "x", "projects": {}}'])
def test_a_broken_trust_file_means_nothing_is_agreed(tmp_path, content):
    from compiler.project import StdioServer

    file = tmp_path / "trust.json"
    file.write_text(content)
    trust = Trust(file)
    assert not trust.knows(tmp_path, StdioServer("x"))
    trust.record(tmp_path, StdioServer("x"))
    assert trust.knows(tmp_path, StdioServer("x"))


def test_a_real_server_of_another_author(tmp_path):
    (tmp_path / "chainc.toml").write_text(
        PROJECT + '[sources.time]\nmcp = { command = "mcp-server-time", args = ["--local-timezone", "Etc/UTC"] }\n'
    )
    report, told = run(tmp_path, timeout=60.0)
    assert told == []
    lock = json.loads((tmp_path / "lock/time.json").read_text())
    assert [t["alias"] for t in lock["tools"]] == ["convert_time", "get_current_time"]
    assert lock["package"]["name"] == "mcp-server-time"
    assert run(tmp_path, write=False, timeout=60.0)[1] == []
    assert report.sources[0].tools == 2


def test_what_is_known_of_the_package_stays_for_the_same_server(tmp_path):
    project(tmp_path, a={})
    run(tmp_path)
    file = tmp_path / "lock/a.json"
    lock = json.loads(file.read_text())
    lock["package"] = {"name": "scripted-server", "version": "1.0"}
    file.write_text(json.dumps(lock))
    run(tmp_path)
    assert json.loads(file.read_text())["package"] == {"name": "scripted-server", "version": "1.0"}
    project(tmp_path, a={"server": ["scripted", "2.0"]})
    run(tmp_path)
    assert "package" not in json.loads(file.read_text())
