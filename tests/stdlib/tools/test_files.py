"""Files in allowed folders: what can be done, and every way out that must stay shut."""

import base64
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stdlib.runtime.fault import RunFault
from stdlib.tools import ToolFault, writing
from stdlib.tools.folders import Folders

from .declared import Reaching

ODD = 'é\n,"x"\r\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    inside = tmp_path / "allowed"
    (inside / "deep" / "er").mkdir(parents=True)
    (inside / "a.txt").write_text(ODD, encoding="utf-8", newline="")
    (inside / "deep" / "b.csv").write_text("x,y\n1,2\n3\n")
    (inside / "deep" / "er" / "c.csv").write_text("x\n")
    (inside / "v.json").write_bytes(b'\xef\xbb\xbf{"n": 12345678901234567890}')
    (inside / ".env").write_text("SECRET=1")
    (tmp_path / "outside.txt").write_text("SECRET=2")
    (tmp_path / "allowed2").mkdir()
    (tmp_path / "allowed2" / "x.txt").write_text("SECRET=3")
    return inside


@pytest.fixture
def do(root: Path) -> Reaching:
    return Reaching(root)


def test_reading(do: Reaching, root: Path):
    assert do("files.read_text", path="a.txt") == ODD
    assert do("files.read_json", path="v.json") == {"n": 12345678901234567890}
    assert do("files.read_csv", path="deep/b.csv") == {
        "columns": ["x", "y"],
        "rows": [{"x": "1", "y": "2"}, {"x": "3", "y": None}],
    }
    (root / "l.jsonl").write_text('1\n{"a": null}\n')
    assert do("files.read_jsonl", path="l.jsonl") == [1, {"a": None}]
    assert base64.b64decode(do("files.read_bytes", path="a.txt")) == ODD.encode()
    (root / "w.txt").write_bytes("ü€".encode("windows-1252"))
    assert do("files.read_text", path="w.txt", encoding="windows-1252") == "ü€"
    assert do.fault("files.read_text", path="w.txt").message.endswith("is no text in utf-8: byte 0 does not fit.")
    assert do.fault("files.read_json", path="a.txt").message.startswith("`files.read_json` failed: `a.txt` is no JSON")


def test_where_it_was_looked_for_is_told(do: Reaching, root: Path):
    fault = do.fault("files.read_text", path="allowed/a.txt")
    assert fault.message.endswith("there is no folder `allowed` in the allowed folder `allowed`.")
    assert fault.next == "A path begins inside of `allowed`: write `a.txt`."
    missing = "there is no `deep/z` in the allowed folder `allowed`"
    assert do.fault("files.read_text", path="deep/z").message.endswith(f"{missing}.")
    assert do.fault("files.read_text", path=f"{root}/deep/z").message.endswith(f"{missing}.")
    several = Reaching(root, root.parent / "allowed2")
    assert several.fault("files.read_text", path="deep/z").message.endswith(f"{missing}, the first of several.")
    assert do.fault("sqlite.schema", path="deep/z").message.endswith(f"{missing}.")


def test_info(do: Reaching):
    found = do("files.info", path="a.txt")
    assert (found["kind"], found["bytes"]) == ("file", len(ODD.encode()))
    assert found["modified"].endswith("Z")
    assert do("files.info", path=".")["kind"] == "folder"
    assert do("files.info", path="no/such") == {"kind": None, "bytes": None, "modified": None}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({}, ["a.txt", "deep", "v.json"]),
        ({"pattern": "*.txt"}, ["a.txt"]),
        ({"pattern": "**/*.csv"}, ["deep/b.csv", "deep/er/c.csv"]),
        ({"pattern": "**/er/**"}, ["deep/er", "deep/er/c.csv"]),
        ({"pattern": "**"}, ["a.txt", "deep", "deep/b.csv", "deep/er", "deep/er/c.csv", "v.json"]),
        ({"pattern": "**/**/c.*"}, ["deep/er/c.csv"]),
        ({"pattern": "*/?.csv"}, ["deep/b.csv"]),
        ({"pattern": "*", "folder": "deep/"}, ["deep/b.csv", "deep/er"]),
        ({"pattern": ".*"}, []),
    ],
)
def test_finding(do: Reaching, arguments: dict[str, Any], wanted: list[str]):
    found = do("files.find", **arguments)
    assert ([each["path"] for each in found["entries"]], found["complete"]) == (wanted, True)


def test_finding_has_limits(do: Reaching, root: Path, monkeypatch: pytest.MonkeyPatch):
    found = do("files.find", pattern="**", most=2)
    assert ([each["path"] for each in found["entries"]], found["complete"]) == (["a.txt", "deep"], False)
    assert "must name what lies below" in do.fault("files.find", pattern="../*").message
    assert "must name what lies below" in do.fault("files.find", pattern="/etc/*").message
    stars = "*a" * 400 + "/" + "**/" * 60 + "b"
    assert do("files.find", pattern=stars) == {"entries": [], "complete": True}
    monkeypatch.setattr("stdlib.tools.pattern_walk.MOST_SEEN", 3)
    assert do("files.find", pattern="**")["complete"] is False
    inner = root
    for _ in range(70):
        inner = inner / "d"
        inner.mkdir()
    monkeypatch.setattr("stdlib.tools.pattern_walk.MOST_SEEN", 1000)
    assert do("files.find", pattern="**/d")["complete"] is False


def test_writing(do: Reaching, root: Path):
    wanted = {"path": "new.txt", "bytes": 3, "written": True}
    assert do("files.create_text", path="new.txt", text="é\n") == wanted
    assert do("files.create_text", path="new.txt", text="é\n") == {**wanted, "written": False}, "again is no mistake"
    fault = do.fault("files.create_text", path="new.txt", text="é ")
    assert (fault.fault_class, (root / "new.txt").read_text()) == ("tool_error", "é\n")
    (root / "new.txt").chmod(0o640)
    do("files.replace_text", path="new.txt", text="other")
    assert (root / "new.txt").read_text() == "other"
    assert stat.S_IMODE((root / "new.txt").stat().st_mode) == 0o640
    do("files.create_bytes", path="deep/x.bin", content="AP8=")
    do("files.replace_bytes", path="deep/x.bin", content="AP7+")
    assert (root / "deep" / "x.bin").read_bytes() == b"\0\xfe\xfe"
    assert do("files.append_text", path="log.txt", text="a\n") == {"path": "log.txt", "bytes": 2}
    assert do("files.append_text", path="log.txt", text="b\n") == {"path": "log.txt", "bytes": 4}
    fault = do.fault("files.create_text", path="deep/none/x", text="")
    assert fault.message.endswith("there is no folder `deep/none` in the allowed folder `allowed`.")
    assert fault.next == "Name a folder that is there: no tool makes one."
    assert do.fault("files.replace_text", path="deep", text="").message.endswith("`deep` is a folder, not a file.")
    assert not list(root.rglob("*.part")), "nothing is left beside"


def test_a_write_that_breaks_off_changes_nothing(do: Reaching, root: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_all", full)
    assert "No space left" in do.fault("files.replace_text", path="a.txt", text="new").message
    assert (root / "a.txt").read_bytes() == ODD.encode()
    assert not list(root.rglob("*.part"))


def test_of_two_that_create_one_file_one_wins(root: Path):
    folders, done = Folders([str(root)], 1000), []

    def create(text: bytes) -> None:
        try:
            done.append(writing.put(folders, "same.txt", text, replace=False))
        except ToolFault as problem:
            done.append({"fault": str(problem)})

    threads = [threading.Thread(target=create, args=(bytes([65 + n]),)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum("fault" not in each for each in done) == 1


def test_a_file_system_without_links(root: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: Any, **__: Any) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    folders = Folders([str(root)], 1000)
    assert writing.put(folders, "n.txt", b"x", replace=False)["written"]
    assert (root / "n.txt").read_bytes() == b"x"


def test_sizes_are_bounded(root: Path):
    do = Reaching(root, most=100)
    (root / "large.txt").write_bytes(b"x" * 101)
    fault = do.fault("files.read_text", path="large.txt")
    assert (fault.fault_class, "more than 100 bytes" in fault.message) == ("result_too_large", True)


# ------------------------------------------------------------------ ways out


def test_without_roots_there_are_no_files(root: Path):
    do = Reaching()
    for tool in ("read_text", "info", "find", "create_text", "append_text"):
        given = {"folder": "."} if tool == "find" else {"path": "a.txt"}
        given |= {"text": ""} if tool.endswith("_text") and tool != "read_text" else {}
        fault = do.fault(f"files.{tool}", **given)
        assert (fault.fault_class, fault.refused) == ("denied", "resource")
        assert fault.message == f"`files.{tool}` is refused: no folder is allowed."
        assert "roots" in (fault.next or "")


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "deep/../../outside.txt",
        "deep/../a.txt",
        "/etc/passwd",
        "{root}/../outside.txt",
        "{root}2/x.txt",
        "{root}/.env",
        ".env",
        "deep/.git/config",
        "./.env",
    ],
)
def test_paths_that_lead_out_or_are_hidden(do: Reaching, root: Path, path: str):
    path = path.format(root=root)
    for tool, more in (
        ("read_text", {}),
        ("info", {}),
        ("replace_text", {"text": "x"}),
        ("append_text", {"text": "x"}),
    ):
        fault = do.fault(f"files.{tool}", path=path, **more)
        assert fault.fault_class == "denied", (tool, path)
        assert "SECRET" not in fault.message
    assert do.fault("files.find", folder=path).fault_class == "denied"


@pytest.mark.parametrize("path", ["a\0.txt", "x" * 5000, "\ud800", "d/" * 70 + "x", ""])
def test_what_is_no_path(do: Reaching, path: str):
    assert do.fault("files.read_text", path=path).fault_class == "tool_error"


def test_links_are_never_followed(do: Reaching, root: Path):
    (root / "out").symlink_to(root.parent)
    (root / "file").symlink_to(root.parent / "outside.txt")
    (root / "inner").symlink_to(root / "a.txt")
    (root / "nowhere").symlink_to(root.parent / "new.txt")
    for path in ("out/outside.txt", "file", "inner"):
        fault = do.fault("files.read_text", path=path)
        assert (fault.fault_class, "links are not followed" in fault.message) == ("denied", True)
    for path in ("file", "nowhere", "out/new.txt"):
        for tool in ("create_text", "replace_text", "append_text"):
            assert do.fault(f"files.{tool}", path=path, text="x").fault_class == "denied"
    assert do("files.info", path="file")["kind"] == "other"
    found = [each["path"] for each in do("files.find", pattern="**")["entries"]]
    assert not {"out", "file", "inner", "nowhere", "out/outside.txt"} & set(found)
    assert (root.parent / "outside.txt").read_text() == "SECRET=2"
    assert not (root.parent / "new.txt").exists()


def test_a_link_that_comes_between_look_and_use(root: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever may write into the folder swaps what was checked for a link, at the worst moment."""
    folders = Folders([str(root)], 1000)
    real = os.stat
    look: list[str] = []

    def swapping(path: Any, **more: Any) -> os.stat_result:
        found = real(path, **more)
        if path in ("a.txt", "deep") and not look:
            look.append(path)
            victim = root / path
            victim.rename(root / "gone")
            victim.symlink_to(root.parent / "outside.txt" if path == "a.txt" else root.parent)
        return found

    monkeypatch.setattr(os, "stat", swapping)
    for path in ("a.txt", "deep/outside.txt"):
        look.clear()
        with pytest.raises(ToolFault), folders.file(path) as opened:
            assert b"SECRET" not in os.read(opened, 100)
        assert look


def test_pipes_and_devices_are_no_files(do: Reaching, root: Path):
    os.mkfifo(root / "pipe")
    for tool, more in (("read_text", {}), ("replace_text", {"text": "x"}), ("append_text", {"text": "x"})):
        assert "no ordinary file" in do.fault(f"files.{tool}", path="pipe", **more).message
    assert do("files.find", pattern="pipe")["entries"] == []


def test_several_roots(root: Path):
    other = root.parent / "allowed2"
    do = Reaching(root, other)
    assert do("files.read_text", path=f"{other}/x.txt") == "SECRET=3"
    assert do("files.read_text", path="a.txt") == ODD
    assert do("files.info", path="x.txt")["kind"] is None, "relative paths begin in the first"


def test_a_root_may_be_a_link(root: Path):
    (root.parent / "short").symlink_to(root)
    do = Reaching(root.parent / "short")
    for path in ("a.txt", f"{root.parent}/short/a.txt", f"{root}/a.txt"):
        assert do("files.read_text", path=path) == ODD
    assert "the allowed folder" in Reaching(root / "none").fault("files.read_text", path="a").message


def test_files_go_under_handles_in_pieces(root: Path):
    (root / "big.bin").write_bytes(bytes(range(256)) * 1000)
    do = Reaching(root, most=100)

    async def kept(name: str, path: str) -> tuple[bytes, str]:
        found: list[Any] = []

        async def keep(body: Any, media: str) -> Any:
            parts = [part async for part in body]
            found.extend((b"".join(parts), media, len(parts)))

        await do.tools.fetch("files", name, {"path": path}, 60, keep)
        return found[0], found[1]

    import anyio

    assert anyio.run(kept, "read_bytes", "big.bin") == (bytes(range(256)) * 1000, "application/octet-stream")
    assert anyio.run(kept, "read_json", "v.json")[1] == "application/json"
    with pytest.raises(RunFault) as refused:
        anyio.run(kept, "read_bytes", "../outside.txt")
    assert refused.value.fault.fault_class == "denied"


PARTS = st.sampled_from(
    ["..", ".", "", "a.txt", "deep", "b.csv", "allowed", "allowed2", "outside.txt", "out", "etc", "passwd"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(parts=st.lists(PARTS, max_size=6), begin=st.sampled_from(["", "/", "root", "./", "//"]))
def test_no_path_leads_out(root: Path, parts: list[str], begin: str):
    if not (root / "out").is_symlink():
        (root / "out").symlink_to(root.parent)
    inside = {(each.stat().st_dev, each.stat().st_ino) for each in root.rglob("*.*") if each.is_file()}
    path = (f"{root}/" if begin == "root" else begin) + "/".join(parts)
    try:
        with Folders([str(root)], 1000).file(path) as opened:
            found = os.fstat(opened)
    except ToolFault:
        return
    assert (found.st_dev, found.st_ino) in inside
