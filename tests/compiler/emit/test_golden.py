"""Whole bundles and every file that is made of them, except the runtime and the copies inside the server package."""

from pathlib import Path

import pytest

from compiler.emit import emit
from dsl.diagnostics import Sink
from tests import golden
from tests.compiler.emit.sample import FOLDER, SUFFIX, read


@pytest.mark.parametrize("case", golden.cases(FOLDER, SUFFIX), ids=lambda case: case.name)
def test_files_of_a_bundle(case: Path, bless: bool):
    sink = Sink()
    files = {
        each.path: each.text
        for each in emit(read(case), sink)
        if "/_runtime/" not in each.path and each.path not in ("bundle.json", "plan.json", "catalogue.json")
        if not (each.path.startswith("server/") and each.path.endswith(".json"))
    }
    told = [
        f"{each.code}: {each.message}\n" + "".join(f"  {text}\n" for text in each.notes + each.helps) for each in sink
    ]
    files["(diagnostics)"] = "".join(told) or "none"
    golden.check_output(golden.output_of(case, SUFFIX), golden.joined(files), bless)


def test_nothing_else_lies_in_the_folder(bless: bool):
    golden.assert_no_orphans(FOLDER, SUFFIX, bless=bless)
