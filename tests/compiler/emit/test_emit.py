"""The whole bundle: its list of files, its order, and that nothing but the input decides about a byte."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from compiler.emit import EMITTERS, emit
from compiler.emit.template import cell
from dsl.diagnostics import Sink
from stdlib.plan.catalogue import Catalogue
from stdlib.plan.plan import Plan
from tests.compiler.emit.sample import sample

ROOT = Path(__file__).resolve().parents[3]


def files() -> dict[str, str]:
    return {each.path: each.text for each in emit(sample(), Sink())}


def test_the_list_holds_every_other_file_with_its_digest():
    made = files()
    listing = json.loads(made["bundle.json"])
    assert listing["files"] == {
        path: hashlib.sha256(text.encode()).hexdigest() for path, text in sorted(made.items()) if path != "bundle.json"
    }
    assert (listing["format"], listing["name"], listing["version"]) == ("chainc.bundle/1", "sample-tools", "1.2.3")


def test_paths_are_ordered_and_given_once():
    paths = [each.path for each in emit(sample(), Sink())]
    assert paths == sorted(set(paths))
    assert {path.split("/")[0] for path in paths} == {
        "bundle.json",
        "catalogue.json",
        "plan.json",
        "openai.tools.json",
        "openai.decoders.json",
        "registry.txt",
        "CATALOG.md",
        "server",
    }


def test_what_is_written_is_read_back_the_same():
    bundle = sample()
    made = files()
    assert Plan.model_validate_json(made["plan.json"]) == bundle.plan
    assert Catalogue.model_validate_json(made["catalogue.json"]) == bundle.catalogue


def test_every_emitter_alone_gives_its_files_of_the_whole():
    made = files()
    for emitter in EMITTERS:
        alone = {each.path: each.text for each in emitter(sample(), Sink())}
        assert alone
        assert alone.items() <= made.items()


def test_another_process_with_another_hash_seed_writes_the_same_bytes():
    program = (
        "import hashlib; from compiler.emit import emit; from dsl.diagnostics import Sink;"
        "from tests.compiler.emit.sample import sample;"
        "print(hashlib.sha256(repr([(a.path, a.text) for a in emit(sample(), Sink())]).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(digests) == 1


def test_no_artefact_names_a_place_of_this_machine():
    assert not [path for path, text in files().items() if str(ROOT) in text or str(Path.home()) + "/" in text]


def test_table_cells_stay_cells():
    assert cell("a | b\n\nc") == "a \\| b c"
