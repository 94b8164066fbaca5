"""The writer: what it writes and removes, and everything that it refuses to touch."""

import os
from pathlib import Path

import pytest

from compiler.emit import Artefact, emit
from compiler.emit.bundle import list_files
from compiler.writer import Written, write
from dsl.diagnostics import Sink
from tests.compiler.emit.sample import sample


def bundle(**texts: str) -> list[Artefact]:
    """Artefacts with these texts (`a__b` is the path `a/b`) and their list."""
    made = [Artefact(name.replace("__", "/"), text) for name, text in texts.items()]
    return [*made, list_files(sample(), made)]


def written(artefacts: list[Artefact], folder: Path, **options: bool) -> Written:
    sink = Sink()
    done = write(artefacts, folder, sink, **options)
    assert done is not None, list(sink)
    assert len(sink) == 0
    return done


def refusal(artefacts: list[Artefact], folder: Path) -> str:
    before = tree(folder)
    sink = Sink()
    assert write(artefacts, folder, sink) is None
    assert tree(folder) == before
    (said,) = sink
    assert said.helps
    return f"{said.code} {said.message}"


def tree(folder: Path) -> dict[str, str]:
    found = sorted(folder.rglob("*")) if folder.is_dir() else []
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found if path.is_file()}


def test_a_bundle_is_written_and_the_second_time_nothing_is(tmp_path: Path):
    dist = tmp_path / "deep" / "dist"
    artefacts = emit(sample(), Sink())
    first = written(artefacts, dist)
    assert tree(dist) == {each.path: each.text for each in artefacts}
    assert (len(first.written), first.unchanged) == (len(artefacts), ())
    times = {path: path.stat().st_mtime_ns for path in dist.rglob("*")}
    second = written(artefacts, dist)
    assert (second.written, second.removed, len(second.unchanged)) == ((), (), len(artefacts))
    assert {path: path.stat().st_mtime_ns for path in dist.rglob("*")} == times


def test_only_what_differs_is_written(tmp_path: Path):
    written(bundle(a="1", b="2"), tmp_path)
    done = written(bundle(a="1", b="3"), tmp_path)
    assert (done.written, done.unchanged) == (("b", "bundle.json"), ("a",))
    (tmp_path / "a").write_text("changed by hand")
    assert written(bundle(a="1", b="3"), tmp_path).written == ("a",)


def test_stale_files_go_if_nobody_changed_them(tmp_path: Path):
    written(bundle(a="1", old__x="2", old__mine="3"), tmp_path)
    (tmp_path / "old" / "mine").write_text("changed by hand")
    (tmp_path / "foreign").write_text("not made here")
    done = written(bundle(a="1"), tmp_path)
    assert (done.removed, done.kept) == (("old/x",), ("old/mine",))
    assert set(tree(tmp_path)) == {"a", "bundle.json", "foreign", "old/mine"}


def test_empty_folders_go_with_their_last_file(tmp_path: Path):
    written(bundle(a="1", one__two__three="2"), tmp_path)
    written(bundle(a="1"), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "bundle.json"]


def test_a_dry_run_tells_and_does_nothing(tmp_path: Path):
    written(bundle(a="1", b="2"), tmp_path)
    before = tree(tmp_path)
    done = written(bundle(a="9", c="3"), tmp_path, dry_run=True)
    assert (done.written, done.removed) == (("a", "bundle.json", "c"), ("b",))
    assert tree(tmp_path) == before
    assert written(bundle(a="1"), tmp_path / "new", dry_run=True).written == ("a", "bundle.json")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("path", ["/a", "../a", "a/../../b", "", ".", "a/./b", "a\\b", "c:/a", "a/.."])
def test_paths_that_leave_the_folder_are_a_bug(tmp_path: Path, path: str):
    with pytest.raises(ValueError, match="may not be written"):
        write([Artefact(path, "x")], tmp_path / "dist", Sink())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("ten years of work")
    assert refusal(bundle(a="1"), tmp_path) == f"E0721 {tmp_path} holds files that I did not make."
    for content in ("{}", "[", '{"format": "other/1", "files": {}}', '{"format": "chainc.bundle/1", "files": []}'):
        (tmp_path / "bundle.json").write_text(content)
        assert refusal(bundle(a="1"), tmp_path).startswith("E0721")


def test_a_file_or_a_link_is_no_folder(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    for name in ("file", "link", "nowhere"):
        assert refusal(bundle(a="1"), tmp_path / name) == f"E0720 {tmp_path / name} is not a folder of its own."
    assert not (tmp_path / "missing").exists()


def test_links_inside_are_not_followed(tmp_path: Path):
    dist, outside = tmp_path / "dist", tmp_path / "outside"
    written(bundle(a="1", sub__b="2"), dist)
    outside.mkdir()
    (outside / "b").write_text("2")
    (dist / "sub" / "b").unlink()
    (dist / "sub").rmdir()
    (dist / "sub").symlink_to(outside)
    assert refusal(bundle(a="1", sub__b="3"), dist).startswith(f"E0722 {dist / 'sub'} is a link")
    written(bundle(a="1"), dist)
    assert (outside / "b").read_text() == "2"
    (dist / "a").unlink()
    (dist / "a").symlink_to(outside / "b")
    assert refusal(bundle(a="1"), dist).startswith(f"E0722 {dist / 'a'} is a link")


def test_a_folder_where_a_file_belongs(tmp_path: Path):
    written(bundle(a="1"), tmp_path)
    (tmp_path / "b").mkdir()
    assert refusal(bundle(a="1", b="2"), tmp_path).startswith(f"E0722 {tmp_path / 'b'} is a folder")


def test_a_list_that_points_elsewhere_removes_nothing(tmp_path: Path):
    dist = tmp_path / "dist"
    written(bundle(a="1"), dist)
    (tmp_path / "victim").write_text("1")
    listing = (dist / "bundle.json").read_text()
    (dist / "bundle.json").write_text(listing.replace('"a":', '"../victim":'))
    assert written(bundle(a="1"), dist).removed == ()
    assert (tmp_path / "victim").exists()


def test_what_the_disk_refuses_is_told(tmp_path: Path):
    written(bundle(a="1"), tmp_path)
    (tmp_path / "sub").write_text("a file where a folder belongs")
    sink = Sink()
    assert write(bundle(a="1", sub__b="2"), tmp_path, sink) is None
    (said,) = sink
    assert said.code == "E0723"
    assert str(tmp_path / "sub") in said.message


def test_no_half_file_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(bundle(a="old"), tmp_path)

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(os, "replace", full)
    sink = Sink()
    assert write(bundle(a="new"), tmp_path, sink) is None
    assert [each.code for each in sink] == ["E0723"]
    assert tree(tmp_path)["a"] == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "bundle.json"]


def test_the_list_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    order: list[str] = []
    replace = os.replace

    def noted(source: Path, target: Path) -> None:
        order.append(target.name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)
    written(bundle(z="1", a="2"), tmp_path)
    assert order == ["a", "z", "bundle.json"]


def test_a_first_build_that_was_interrupted_is_repeated(tmp_path: Path):
    made = bundle(a="1", sub__b="2", c="3")
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("1")
    (tmp_path / "sub" / ".b.chainc").write_text("half")
    done = written(made, tmp_path)
    assert (done.written, done.unchanged) == (("bundle.json", "c", "sub/b"), ("a",))
    assert set(tree(tmp_path)) == {"a", "bundle.json", "c", "sub/b"}


@pytest.mark.parametrize("name", ["a", "d", ".d.chainc"])
def test_what_no_build_began_is_refused(tmp_path: Path, name: str):
    (tmp_path / "c").write_text("3")
    (tmp_path / name).write_text("by hand")
    assert refusal(bundle(a="1", c="3"), tmp_path).startswith("E0721")
    (tmp_path / name).write_text("")
    assert refusal(bundle(a="1", c="3"), tmp_path).startswith("E0721")
