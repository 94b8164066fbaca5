"""Where references lead: `$id`, `$anchor`, percent-encodings, whole files, what stands beside `$ref`; and, over random
documents of several files, the same places that another library finds."""

from __future__ import annotations

import itertools
import json
import posixpath
import random
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from compiler.loader.files import Refused
from compiler.sources.openapi.documents import Documents
from compiler.sources.openapi.read import read_openapi
from compiler.sources.openapi.source import OpenApiSource, Place, Unserved
from compiler.types.from_schema import BadSchema, from_schema
from compiler.types.refs import References, below
from stdlib.values.show import show

from .documents import OK, TEXT, body, document, files, parameter, refusal, result, source, takes, tool

NUMBER = {"type": "integer"}


def shown(schema: Any) -> str:
    reading = from_schema(schema)
    assert not isinstance(reading, BadSchema), reading
    return show(reading.type)


def documents(**given: Any) -> Documents:
    found = Documents(files(**given))
    for name in given:
        found.value(f"{name.replace('__', '/')}.json")
    return found


def place_of(found: Documents, ref: str, file: str = "a.json", pointer: str = "") -> str:
    try:
        return str(found.follow(ref, Place(file, pointer)).place)
    except Unserved as unserved:
        return unserved.why


POINTERS = {"a/b": TEXT, "m~n": TEXT, "c d": TEXT, "ä": TEXT, "%41": TEXT, "": TEXT, "list": [TEXT, NUMBER]}


@pytest.mark.parametrize(
    ("ref", "place"),
    [
        ("#/a~1b", "a.json#/a~1b"),
        ("#/m~0n", "a.json#/m~0n"),
        ("#/c%20d", "a.json#/c d"),
        ("#/c d", "a.json#/c d"),
        ("#/%C3%A4", "a.json#/ä"),
        ("#/%2541", "a.json#/%41"),
        ("#%2Fa~1b", "a.json#/a~1b"),
        ("#/", "a.json#/"),
        ("#/list/1", "a.json#/list/1"),
        ("#/list/01", "`#/list/01` leads nowhere."),
        ("#/list/-", "`#/list/-` leads nowhere."),
        ("#/list/2", "`#/list/2` leads nowhere."),
        ("#/a%2Fb", "`#/a%2Fb` leads nowhere."),
        ("", "a.json#"),
        ("#", "a.json#"),
        ("a.json", "a.json#"),
        ("./a.json#", "a.json#"),
        ("sub/my%20pet.json", "sub/my pet.json#"),
        ("sub/my%20pet.json#/title", "sub/my pet.json#/title"),
    ],
)
def test_pointers_and_whole_files(ref: str, place: str):
    assert place_of(documents(a=POINTERS, **{"sub__my pet": {"title": "x"}}), ref) == place


def test_an_anchor_is_a_name_in_its_resource_alone():
    found = documents(
        a={
            "x": {"example": {"$anchor": "cat"}, "enum": [{"$anchor": "cat"}]},
            "z": {"properties": {"default": {"$anchor": "cat"}, "dog": {"$dynamicAnchor": "dog"}}},
            "other": {"$id": "other", "$defs": {"bird": {"$anchor": "bird"}, "cat": {"$anchor": "cat"}}},
        }
    )
    assert place_of(found, "#cat") == "a.json#/z/properties/default"
    assert place_of(found, "#dog") == "a.json#/z/properties/dog"
    assert place_of(found, "#bird") == "`#bird` leads nowhere."
    assert place_of(found, "#cat", pointer="/other/$ref") == "a.json#/other/$defs/cat"
    assert place_of(found, "other#bird") == "a.json#/other/$defs/bird"


def test_an_id_begins_a_resource():
    pet = {"$id": "https://shop.example/pets/pet", "$defs": {"Name": TEXT}, "name": {"$ref": "#/$defs/Name"}}
    found = documents(
        a={"components": {"schemas": {"Pet": pet, "Name": NUMBER}}, "$defs": {"Name": NUMBER}},
        sub__b={"$id": "https://shop.example/owners/owner.json", "$defs": {"Old": {"$id": "../old", "title": "x"}}},
    )
    inside = "/components/schemas/Pet/name/$ref"
    assert place_of(found, "#/$defs/Name", pointer=inside) == "a.json#/components/schemas/Pet/$defs/Name"
    assert place_of(found, "#", pointer=inside) == "a.json#/components/schemas/Pet"
    assert place_of(found, "a.json#/$defs/Name") == "a.json#/$defs/Name"
    # Many write `$id` and still mean the document.
    assert place_of(found, "#/components/schemas/Name", pointer=inside) == "a.json#/components/schemas/Name"
    # By its URI, from anywhere; relative to the URI around; and never by asking for it.
    assert place_of(found, "https://shop.example/pets/pet#/$defs/Name") == "a.json#/components/schemas/Pet/$defs/Name"
    assert place_of(found, "../owners/owner.json", pointer=inside) == "sub/b.json#"
    assert place_of(found, "pets/pet", "sub/b.json", "/$defs/Old/$ref") == "a.json#/components/schemas/Pet"
    assert place_of(found, "https://shop.example/old", "sub/b.json") == "sub/b.json#/$defs/Old"
    assert "nothing is fetched" in place_of(found, "https://shop.example/pets/other")
    assert "nothing is fetched" in place_of(found, "https://shop.example/pets/other", pointer=inside)
    # A file beside it is meant where its URI is not known.
    assert place_of(found, "sub/b.json#/$defs", pointer=inside) == "sub/b.json#/$defs"


@pytest.mark.parametrize("uri", ["http://[", "//[x", "http://a\u202e", "#", "#x", "", 7, ["x"], {"$id": "x"}])
def test_ids_that_are_none(uri: Any):
    found = documents(a={"$id": uri, "$defs": {"A": {"$id": uri, "title": "x"}}})
    assert place_of(found, "#/$defs/A", pointer="/$defs/A/$ref") == "a.json#/$defs/A"
    assert place_of(found, "b.json").startswith("`b.json` cannot be followed.")
    assert place_of(found, "http://[").startswith(("a.json#", "`http://[` is on another machine"))


def test_schemas_with_ids_become_types():
    pet = {
        "$id": "https://shop.example/pet",
        "type": "object",
        "properties": {"name": {"$ref": "#name"}, "owner": {"$ref": "owner"}, "best": {"$ref": "#"}},
        "$defs": {"N": {"$anchor": "name", **TEXT}},
    }
    owner = {"$id": "https://shop.example/owner", "type": "object", "properties": {"age": NUMBER}}
    written = result({"$ref": "https://shop.example/owner"}, Pet=pet, Owner=owner)
    assert shown(written) == "{ age: integer? }"
    assert shown(result({"$ref": "#/components/schemas/Pet"}, Pet=pet, Owner=owner)) == (
        "{ name: string?, owner: { age: integer? }?, best: json? }"
    )


def test_schemas_of_servers_with_ids_become_types():
    bundled = {
        "$id": "https://shop.example/answer",
        "type": "object",
        "properties": {"pet": {"$ref": "pet"}, "same": {"$ref": "https://shop.example/answer#/$defs/id"}},
        "$defs": {
            "id": NUMBER,
            "pet": {"$id": "pet", "type": "object", "$defs": {"id": TEXT}, "properties": {"id": {"$ref": "#/$defs/id"}}}
        },
    }  # fmt: skip
    assert shown(bundled) == "{ pet: { id: string? }?, same: integer? }"
    assert References(bundled).resolve("https://elsewhere.example/") is None
    assert isinstance(from_schema({"$ref": "pet"}), BadSchema)


def test_a_described_reference_keeps_its_words():
    described = {"$ref": "#/$defs/id", "description": "Its number."}
    assert shown({"type": "object", "properties": {"id": described}, "$defs": {"id": NUMBER}}) == "{ id: integer? }"
    page = {"$ref": "#/components/parameters/Page", "description": "Which page of orders."}
    shared = {"parameters": {"Page": parameter("page", schema=NUMBER, description="Which page.")}}
    found = tool(parameters=[page], components=shared)
    assert found.tool.input_schema["properties"]["page"] == {**NUMBER, "description": "Which page of orders."}


def test_the_nearest_words_count_where_references_lead_to_references():
    shared = {
        "parameters": {
            "A": {"$ref": "#/components/parameters/B", "description": "The nearest."},
            "B": {"$ref": "#/components/parameters/C", "description": "The middle."},
            "C": parameter("page", schema=NUMBER, description="The last."),
        }
    }
    found = tool(parameters=[{"$ref": "#/components/parameters/A"}], components=shared)
    assert found.tool.input_schema["properties"]["page"]["description"] == "The nearest."


def test_what_stands_beside_the_reference_of_a_body_is_an_argument_too():
    pet = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
    more: dict[str, Any] = {"$ref": "#/components/schemas/Pet", "properties": {"age": NUMBER}, "required": ["age"]}
    assert takes(body(more, Pet=pet)) == {"age": True, "name": True}
    # Rules for the whole make it one argument, on either side of the reference.
    assert takes(body({**more, "minProperties": 3}, Pet=pet)) == {"body": True}
    assert takes(body({**more, "nullable": True}, Pet=pet)) == {"body": True}
    assert takes(body({"$ref": "#/components/schemas/Pet", "description": "A pet."}, Pet=pet)) == {"name": True}
    looped = {"$ref": "#/components/schemas/Pet", "allOf": [{"$ref": "#/components/schemas/Loop"}]}
    sent = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Loop"}}}}
    reason, _ = refusal(method="post", requestBody=sent, components={"schemas": {"Pet": pet, "Loop": looped}})
    assert reason == "schema"


def test_read_only_beside_a_reference_hides_a_field_wherever_it_stands():
    schemas: dict[str, Any] = {"Id": {"$ref": "#/components/schemas/Number", "readOnly": True}, "Number": NUMBER}
    whole = {"type": "object", "properties": {"id": {"$ref": "#/components/schemas/Id"}, "name": TEXT}}
    assert takes(body(whole, **schemas)) == {"name": False}


def test_a_path_item_keeps_operations_beside_its_reference():
    item = {"get": {"operationId": "listed", "responses": OK}}
    own = {"$ref": "items.json#/~1pets", "post": {"operationId": "made", "responses": OK}}
    found = read_openapi(files(api=document({"/pets": own}), items={"/pets": item}), "api.json")
    assert isinstance(found, OpenApiSource)
    assert sorted(found.tools) == ["listed", "made"]
    assert source({"/pets": item}).tools.keys() == {"listed"}


# Random documents, and the same question to the library `referencing`.

PATHS = ("root.json", "dir/one.json", "dir/deep/b c.json")
Question = Callable[[str, str, str], str | None]
"""File, pointer of the place there, reference → the title of what it means."""
HOME = "https://project.test/"
KEYS = ("a", "b", "x/y", "m~n", "c d", "ä", "%41", "0")


def random_schema(chance: random.Random, mark: str, count: Iterator[int], ids: float, deep: int = 0) -> dict[str, Any]:
    """A schema with a title of its own and names that are there once. `mark` tells the file, `ids` how often `$id`."""
    n = next(count)
    made: dict[str, Any] = {"title": f"{mark}{n}"}
    if chance.random() < 0.25:
        made["$anchor"] = f"n{n}"
    if chance.random() < ids:
        made["$id"] = chance.choice(
            [f"https://ids.test/{mark}/s{n}.json", f"s{n}{mark}", f"sub/s{n}{mark}", f"?{n}{mark}"]
        )
    if deep < 3:
        for keyword in ("$defs", "properties"):
            names = chance.sample(KEYS, chance.randint(0, 2))
            made[keyword] = {name: random_schema(chance, mark, count, ids, deep + 1) for name in names}
        if chance.random() < 0.5:
            made["items"] = random_schema(chance, mark, count, ids, deep + 1)
        if chance.random() < 0.3:
            made["allOf"] = [random_schema(chance, mark, count, ids, deep + 1) for _ in range(2)]
    return made


def subschemas(schema: dict[str, Any], pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield pointer, schema
    for keyword in ("$defs", "properties"):
        for name, inner in schema.get(keyword, {}).items():
            yield from subschemas(inner, below(pointer, keyword, name))
    if "items" in schema:
        yield from subschemas(schema["items"], below(pointer, "items"))
    for i, inner in enumerate(schema.get("allOf", ())):
        yield from subschemas(inner, below(pointer, "allOf", i))


def random_reference(chance: random.Random, file: str, target: tuple[str, str, dict[str, Any]]) -> str:
    """What somebody in `file` could write to mean `target`, or something near it that is not there."""
    other, pointer, schema = target
    safe = chance.choice(["/~", "/", "/~ !$&'()*+,;=:@"])
    relative = quote(posixpath.relpath(other, posixpath.dirname(file) or "."))
    locations = ["", relative, schema.get("$id", relative)]
    fragments = [
        "",
        "#",
        f"#{quote(pointer, safe=safe)}",
        f"#{schema.get('$anchor', 'nowhere')}",
        "#/allOf/7",
        "#/items/a",
    ]
    fragments += [f"#{quote(inside, safe=safe)}" for inside, _ in subschemas(schema)][:3]
    return f"{chance.choice(locations)}{chance.choice(fragments)}"


def theirs(known: dict[str, Any]) -> Question:
    """The title that `referencing` finds; None where it finds no schema."""
    made = {path: Resource.from_contents(value, default_specification=DRAFT202012) for path, value in known.items()}
    given: Registry[Any] = Registry().with_resources((HOME + quote(path), each) for path, each in made.items())
    registry = given.crawl()

    def found(file: str, pointer: str, ref: str) -> str | None:
        resolver = registry.resolver(HOME + quote(file)).in_subresource(made[file])
        if pointer:
            resolver = resolver.lookup(f"#{quote(pointer)}").resolver
        try:
            schema = resolver.lookup(ref).contents
        except (Unresolvable, ValueError, TypeError):
            return None
        return schema.get("title") if isinstance(schema, dict) else None

    return found


@pytest.mark.parametrize(("value", "ref"), [({"allOf": 7}, "#a"), ({"list": [1]}, "#/list/x"), ({"$id": 5}, "#a")])
def test_what_is_wrong_is_told_where_the_library_raises(value: Any, ref: str):
    resource = Resource.from_contents(value, default_specification=DRAFT202012)
    with pytest.raises((TypeError, ValueError, AttributeError)):
        Registry().with_resource(HOME, resource).resolver(HOME).lookup(ref)
    assert place_of(documents(a=value), ref) == f"`{ref}` leads nowhere."


def ours(known: dict[str, Any]) -> Question:
    read = Documents(lambda path: json.dumps(known[path]) if path in known else Refused("E0216", "It is not there."))
    for path in PATHS:
        read.value(path)

    def found(file: str, pointer: str, ref: str) -> str | None:
        try:
            return read.follow(ref, Place(file, below(pointer, "$ref"))).text("title") or None
        except Unserved:
            return None

    return found


@pytest.mark.parametrize("ids", [0.0, 0.1, 0.3])
def test_references_lead_where_another_library_finds_them(ids: float):
    """Where it finds nothing nor do we, but for what a `$id` hides from it: the whole document, and the file beside."""
    agreed = 0
    for seed in range(100):
        chance = random.Random(seed)
        known = {path: random_schema(chance, "abc"[i], itertools.count(), ids) for i, path in enumerate(PATHS)}
        places = [(path, pointer, schema) for path in PATHS for pointer, schema in subschemas(known[path])]
        they, we = theirs(known), ours(known)
        for _ in range(10):
            file, pointer, _schema = chance.choice(places)
            ref = random_reference(chance, file, chance.choice(places))
            wanted, found = they(file, pointer, ref), we(file, pointer, ref)
            if wanted is not None or not ids:
                assert found == wanted, (seed, file, pointer, ref)
                agreed += wanted is not None
    assert agreed > 100
