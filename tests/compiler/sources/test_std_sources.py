"""The standard library from its import to the result."""

import pytest

from .projects import called, checked, compiled, project, served

CHAIN = """
import tables from std "tables" {
  tool join returns list<{ id: integer, name: string, city: string? }>
}
import encoding from std "base64"

chain people {
  input names: list<{ id: integer, name: string }>
  input cities: list<{ id: integer, city: string }>
  step both = tables.join(left: names, right: cities, on: ["id"], how: "left")
  step csv = tables.write_csv(rows: both, columns: ["name", "city"])
  output = { csv: csv, cities: [p.city for p in both] }
}
chain decoded {
  input encoded: string
  step text = encoding.decode(encoded: encoded)
  output = text
}
"""
GIVEN = {"names": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}], "cities": [{"id": 1, "city": "Turin"}]}
WANTED = {"csv": "name,city\r\nAda,Turin\r\nBob,\r\n", "cities": ["Turin", None]}


def test_it_needs_no_manifest_and_no_lock(tmp_path):
    project(tmp_path, {"chains/a.chain": CHAIN})
    assert checked(tmp_path) == []
    plan = compiled(tmp_path)
    assert list(plan.sources) == ["std:base64", "std:tables"]
    assert plan.sources["std:tables"].tools["join"].effects.read_only
    assert plan.sources["std:tables"].tools["join"].description
    assert called(tmp_path, "people", **GIVEN).value == WANTED
    fault = called(tmp_path, "decoded", encoded="%").fault
    assert fault is not None
    assert (fault.fault_class, fault.message) == ("tool_error", "`encoding.decode` failed: this is no base64.")


def test_a_claim_is_checked(tmp_path):
    project(tmp_path, {"chains/a.chain": CHAIN.replace("name: string, city", "name: integer, city")})
    fault = called(tmp_path, "people", **GIVEN).fault
    assert fault is not None
    assert fault.fault_class == "shape_mismatch"


def test_a_generated_server_has_it(tmp_path):
    project(tmp_path, {"chains/a.chain": CHAIN})
    answers = served(tmp_path, {"people": GIVEN, "decoded": {"encoded": "w6k="}}, tmp_path)
    assert answers == {"people": WANTED, "decoded": {"result": "é"}}


@pytest.mark.parametrize("where", ["txt", "../text", "text.chain", ""])
def test_there_is_no_other_module(tmp_path, where):
    project(tmp_path, {"chains/a.chain": f'import x from std "{where}"\n'})
    assert [code for code, _ in checked(tmp_path)] == ["E0230"]
