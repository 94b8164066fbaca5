"""`ship_with_crew`: a server and a CSV file joined by id, without letting anybody fall through on either side."""

from collections.abc import Callable, Iterator

import pytest
from anyio.from_thread import start_blocking_portal

from stdlib.runtime.run import Result
from tests.examples.projects import opened

Crews = Callable[..., Result]


@pytest.fixture(scope="module")
def crews() -> Iterator[Crews]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened("ship_with_crew")) as example:

        def call(line: str, **more: str) -> Result:
            result: Result = portal.call(example.call, "ship_with_crew", {"line": line, **more})
            return result

        yield call


def refusal(result: Result) -> tuple[str, str]:
    assert result.fault is not None
    return result.fault.fault_class, result.fault.message


def test_people_are_named_in_the_order_of_the_ships(crews: Crews):
    result = crews("north")
    assert result.wire is not None
    assert [(each["name"], [one["name"] for one in each["crew"]]) for each in result.wire["result"]] == [
        ("Fulmar", ["Ada Holm", "Bo Lind", "Reyes, Caro"]),
        ("Tern", ["Eli Nour", "Dag Moe"]),
        ("Guillemot", []),
    ]
    assert result.wire["result"][1]["crew"][1] == {"id": "m-104", "name": "Dag Moe", "role": "captain"}
    assert result.summary == "3 ships, 5 people aboard."


def test_whoever_is_missing_on_either_side_is_named(crews: Crews):
    assert refusal(crews("south")) == (
        "precondition",
        "The lists of the line south do not agree: m-299 sails on the Petrel but is not on the crew list; "
        "m-202 (Gus Petri) is on the crew list but on no ship.",
    )


def test_nobody_is_there_twice(crews: Crews):
    assert refusal(crews("islands")) == (
        "precondition",
        "The lists of the line islands do not agree: m-301 sails 2 times: on the Dunlin, the Knot; "
        "m-302 is on the crew list 2 times.",
    )


def test_a_list_with_other_columns_is_not_guessed_at(crews: Crews):
    fault_class, message = refusal(crews("north", crew_list="crew-2019.csv"))
    assert fault_class == "shape_mismatch"
    assert "`rows[0]` has no field `role`" in message


def test_lists_that_are_not_there(crews: Crews):
    fault_class, message = refusal(crews("east"))
    assert fault_class == "tool_error"
    assert "There is no line east." in message
    assert refusal(crews("north", crew_list="no.csv"))[0] == "tool_error"
    assert refusal(crews("north", crew_list="../chainc.toml"))[0] == "denied"
