"""The published schemas are those of the models, and admit what the compiler writes."""

from pathlib import Path

from jsonschema import Draft202012Validator

from compiler.lower import lower
from stdlib.plan import schemas
from stdlib.plan.document import to_json
from tests import golden
from tests.compiler.world import checked

FOLDER = Path(schemas.__file__).parent


def test_the_files_are_those_of_the_models():
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")} == schemas.published()


def test_plans_and_catalogues_have_the_published_form():
    for case in golden.cases(golden.GOLDEN / "plan", ".chain"):
        program, _ = checked({case.name: case.read_text(encoding="utf-8")})
        for model in lower(program):
            validator = Draft202012Validator(type(model).model_json_schema())
            assert [error.message for error in validator.iter_errors(to_json(model))] == []
