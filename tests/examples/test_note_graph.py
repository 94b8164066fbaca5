"""`note_graph` over the real servers of npm, which keep files and a graph: the graph follows the notes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from stdlib.runtime.fault import Fault, RunFault
from stdlib.runtime.run import Result
from stdlib.runtime.world import Tools
from tests.examples.projects import called, opened

Relations = set[tuple[str, str, str]]


@dataclass
class Vault:
    """A folder with notes, as the manifest names it, and the file of the graph."""

    home: Path
    graph: Path

    def write(self, path: str, text: str) -> Path:
        file = self.home / "notes" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def call(self, chain: str = "note_graph", **arguments: Any) -> Result:
        return anyio.run(called, "note_graph", chain, arguments, self.home)

    def kept(self, kind: str) -> list[dict[str, Any]]:
        lines = self.graph.read_text(encoding="utf-8").splitlines() if self.graph.exists() else []
        return [each for each in map(json.loads, lines) if each["type"] == kind]

    def relations(self) -> Relations:
        return {(each["from"], each["relationType"], each["to"]) for each in self.kept("relation")}


@pytest.fixture
def vault(tmp_path: Path, graph_file: Path) -> Vault:
    vault = Vault(tmp_path, graph_file)
    vault.write("Ada.md", "# Ada\n\nWrites [[Bob|to Bob]] and [[ Bob ]] on #tides.\nNo tag: a#b, #1. No note: [[]].\n")
    vault.write("people/Bob.md", "\n## Bob\nKnows [[Eve#her work]]. #tides #harbour/east\n")
    vault.write("people/photo.txt", "[[Nobody]] #nothing")
    return vault


def test_notes_topics_and_links_are_in_the_graph(vault: Vault):
    result = vault.call()
    assert result.fault is None
    assert result.value == {
        "notes": 2,
        "unreadable": 0,
        "new": ["Ada", "Bob", "Eve", "#tides", "#harbour/east"],
        "new_relations": 5,
        "forgotten": 0,
        "missing": ["Eve"],
    }
    assert vault.relations() == {
        ("Ada", "links to", "Bob"),
        ("Ada", "is about", "#tides"),
        ("Bob", "links to", "Eve"),
        ("Bob", "is about", "#tides"),
        ("Bob", "is about", "#harbour/east"),
    }
    entities = {each["name"]: (each["entityType"], each["observations"]) for each in vault.kept("entity")}
    assert entities["Ada"] == ("note", ["Writes [[Bob|to Bob]] and [[ Bob ]] on #tides."])
    assert entities["#tides"] == ("topic", [])


def test_a_second_call_changes_what_the_notes_have_changed_and_nothing_else(vault: Vault):
    vault.call()
    before = vault.graph.read_bytes()
    again = vault.call()
    assert (again.value["new"], again.value["new_relations"], again.value["forgotten"]) == ([], 0, 0)
    assert vault.graph.read_bytes() == before
    said = {"type": "relation", "from": "Ada", "to": "Bob", "relationType": "employs"}
    vault.graph.write_text(vault.graph.read_text(encoding="utf-8") + "\n" + json.dumps(said), encoding="utf-8")
    vault.write("Ada.md", "# Ada\n\nOnly #tides now.\n")
    changed = vault.call()
    assert (changed.value["new"], changed.value["new_relations"], changed.value["forgotten"]) == ([], 0, 1)
    assert {each for each in vault.relations() if each[0] == "Ada"} == {
        ("Ada", "is about", "#tides"),
        ("Ada", "employs", "Bob"),
    }


def test_what_is_around_a_note(vault: Vault):
    vault.call()
    result = vault.call("around_note", name="Bob")
    assert result.fault is None
    assert result.value == {
        "observations": ["Knows [[Eve#her work]]. #tides #harbour/east"],
        "topics": ["#tides", "#harbour/east"],
        "links_to": ["Eve"],
        "linked_from": ["Ada"],
        "related": {"#tides": ["Ada"], "#harbour/east": []},
    }
    nowhere = vault.call("around_note", name="Nowhere")
    assert nowhere.fault is not None
    assert nowhere.fault.fault_class == "precondition"


def test_a_note_that_cannot_be_read_is_told_and_what_is_known_of_it_stays(vault: Vault):
    vault.call()
    before = vault.relations()
    bob = vault.home / "notes" / "people" / "Bob.md"
    bob.unlink()
    bob.mkdir()
    result = vault.call()
    assert result.fault is None
    assert (result.value["notes"], result.value["unreadable"]) == (1, 1)
    assert vault.relations() == before


@pytest.mark.parametrize("folder", ["../", "/", "no such folder"])
def test_a_folder_outside_or_nowhere(vault: Vault, folder: str):
    result = vault.call(folder=folder)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "found")
    assert not vault.graph.exists()


def test_a_folder_without_a_note_changes_nothing(vault: Vault):
    (vault.home / "notes" / "empty").mkdir()
    result = vault.call(folder="empty")
    assert result.fault is None
    assert result.value["notes"] == 0
    assert not vault.graph.exists()


@dataclass
class Broken:
    """The tools, of which one does not work."""

    tools: Tools
    tool: str

    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> Any:
        if key == self.tool:
            raise RunFault(Fault("tool_error", "It is broken."))
        return await self.tools.call(source, key, arguments, timeout)


def test_what_was_new_is_taken_back_when_a_later_step_fails(vault: Vault):
    vault.call()
    before = sorted(map(str, vault.kept("entity"))), vault.relations()
    vault.write("Cleo.md", "# Cleo\n\nSails to [[Bob]] with the #fleet.\n")

    async def test() -> Result:
        async with opened("note_graph", vault.home) as example:
            example.tools = Broken(example.tools, "create_relations")
            return await example.call("note_graph", {})

    result = anyio.run(test)
    assert result.fault is not None
    assert (result.fault.step, result.fault.undone) == ("linked", ("told", "created"))
    assert (sorted(map(str, vault.kept("entity"))), vault.relations()) == before
