"""W0613: which chains take the first page of a list for the whole of it, and what they are told to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.compiler.world import checked

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
READS, WRITES = {"readOnlyHint": True}, {"destructiveHint": True}


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def many(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": record(**properties)}


def integer(**bounds: Any) -> dict[str, Any]:
    return {"type": "integer", **bounds}


def tool(
    name: str, taken: dict[str, Any], given: dict[str, Any] | None = None, effects: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A tool that also takes a `q`."""
    takes = {"type": "object", "properties": {"q": TEXT, **taken}}
    found = {"name": name, "description": "", "inputSchema": takes, "outputSchema": given, "annotations": effects}
    return {key: value for key, value in found.items() if value is not None}


ORDERS = record(orders=many(id=TEXT, total=NUMBER), total=NUMBER)
COUNTED = {"offset": NUMBER, "limit": integer(minimum=1, maximum=100)}
TOOLS = [
    tool("orders", {"page": NUMBER, "page_size": NUMBER}, ORDERS, READS),
    tool("flagged", {"marker": TEXT, "limit": NUMBER}, record(entries=many(id=TEXT), truncated=FLAG), READS),
    tool("charges", {"starting_after": TEXT, "limit": NUMBER}, record(data=many(id=TEXT), has_more=FLAG)),
    tool("numbered", {"cursor": NUMBER}, record(items=many(id=TEXT), next_cursor=TEXT)),
    tool("linked", {"cursor": TEXT}, record(items=many(id=TEXT), next={**TEXT, "format": "uri"})),
    tool("tokens", {"pageToken": TEXT}, record(items=many(id=TEXT), nextPageToken=TEXT)),
    tool("offs", COUNTED, many(id=TEXT), READS),
    tool("few_at_once", {"skip": NUMBER, "top": integer(maximum=50.0)}, record(rows=many(id=TEXT), total=NUMBER)),
    tool("by_default", {"offset": integer(default=1), "limit": integer(default=10)}, many(id=TEXT)),
    tool("sizeless", {"offset": NUMBER}, record(rows=many(id=TEXT), has_more=FLAG)),
    tool("spring", {"page": integer(minimum=0, default=0), "size": NUMBER}, record(content=many(id=TEXT), last=FLAG)),
    tool("from_zero", {"page": integer(minimum=0), "size": NUMBER}, many(id=TEXT)),
    tool(
        "maybe",
        {"cursor": TEXT},
        {
            "type": "object",
            "properties": {"data": many(id=TEXT), "meta": record(**{"@next": TEXT, "next_cursor": TEXT})},
            "required": ["data"],
        },
    ),
    tool("odd", {"page[number]": NUMBER, "page[size]": NUMBER}, record(data=many(id=TEXT), links=record(next=TEXT))),
    tool("thread", {"page": NUMBER, "limit": NUMBER}, record(id=TEXT, title=TEXT, messages=many(text=TEXT))),
    tool("search", {"page": NUMBER, "size": NUMBER}, record(hits=record(total=record(of=NUMBER), hits=many(id=TEXT)))),
    tool("open_orders", {"page": NUMBER, "size": NUMBER}, {}),
    tool("seats", {"start": NUMBER, "count": NUMBER}, many(id=TEXT), WRITES),
    tool("since", {"start": NUMBER, "limit": NUMBER}, many(id=TEXT), READS),
    tool("file", {"offset": NUMBER, "limit": NUMBER}, None, READS),
    tool("commits", {"page": NUMBER, "per_page": NUMBER}, None, READS),
]  # fmt: skip


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    (folder / "api.json").write_text(json.dumps({"server": "api 1", "tools": TOOLS}))
    return folder


def told(sources: Path, members: str, block: str = "") -> list[tuple[str, str]]:
    """The tools that W0613 names, each with its help; the program has no mistakes."""
    text = f'import api from mcp "api"{block}\n\nchain c {{\n{members}\n}}\n'
    said = checked(text, sources)[1]
    assert [f"{each.code} {each.message}" for each in said if each.code.startswith("E")] == []
    found = [each for each in said if each.code == "W0613"]
    return [(each.message.split("`")[1].removeprefix("api."), " ".join(each.helps)) for each in found]


ORDER = "step o = api.orders()\n"
EACH = 'step found = for each q in ["a", "b"] do api.orders(q: q)\n'
WANTS_ALL = [
    # an item has a field that is called as what tells of more
    (ORDER + "output = sum([x.total for x in o.orders])", "orders"),
    (ORDER + 'output = ["${x.total}" for x in o.orders]', "orders"),
    (ORDER + "let sorted = sort(o.orders, by: \"id\")\noutput = [x.total for x in sorted]", "orders"),
    (ORDER + "output = sum([x.total for x in reverse(o.orders)])", "orders"),
    (ORDER + "step t = for each x in o.orders do api.thread(q: \"${x.total}\", limit: 1)\noutput = t", "orders"),
    (ORDER + "step t = for each x in o.orders { let n = x.total return n }\noutput = t", "orders"),
    (ORDER + "output = { [x.id]: x.total for x in o.orders }", "orders"),
    (ORDER + "output = o.orders", "orders"),
    (EACH + "output = sum([x.total for x in flatten([f.orders for f in found])])", "orders"),
    (EACH + "output = [sum([x.total for x in f.orders]) for f in found]", "orders"),
    # more than whether there is anything
    ("step f = api.offs()\noutput = count(f)", "offs"),
    ("step f = api.offs()\noutput = count(f) > 20", "offs"),
    ("step f = api.offs()\noutput = { any: count(f) > 0, all: f }", "offs"),
    ('step f = api.offs()\noutput = any([x.id == "a" for x in f])', "offs"),
    ('step f = api.offs()\noutput = "a" in [x.id for x in f]', "offs"),
    ("step f = api.offs()\noutput = last(f)?.id", "offs"),
    ("step f = api.offs()\noutput = max(f, by: \"id\")", "offs"),
    ("step f = api.offs()\nlet a = [x.id for x in f]\noutput = { one: first(a), two: [...a, ...a] }", "offs"),
    # each call for itself
    ("step few = api.offs(limit: 1)\nstep all = api.offs()\noutput = { few: few, all: all }", "offs"),
    ("step a = api.flagged()\nstep b = api.flagged()\noutput = { a: a.truncated, b: b.entries }", "flagged"),
    # lists inside
    ("step t = api.thread()\noutput = [m.text for m in t.messages]", "thread"),
    ("step t = api.thread()\noutput = t", "thread"),
    ("step s = api.search()\noutput = s.hits.hits", "search"),
    ("step s = api.open_orders()\noutput = (s as { items: list<string> }).items", "open_orders"),
    ("step s = api.commits()\noutput = s.text", "commits"),
]  # fmt: skip
SILENT = [
    # what tells of more is read, or handed on
    ORDER + "output = { sum: sum([x.total for x in o.orders]), of: o.total }",
    ORDER + "output = o",
    EACH + "output = [{ orders: f.orders, of: f.total } for f in found]",
    EACH + "output = [{ orders: f.orders, of: f.total } for f in compact(sort(found, by: \"total\"))]",
    EACH + "output = [f for f in found]",
    "step s = api.odd()\noutput = { all: s.data, more: s.links.next != null }",
    # no list is read
    "step t = api.thread()\noutput = t.title",
    "step s = api.search()\noutput = s.hits.total.of",
    'step t = for each q in ["a"] do api.thread(q: q)\noutput = [x.title for x in t]',
    # only the first items, or whether there are any
    "step f = api.offs()\noutput = if count(f) == 0 then \"none\" else first(f)?.id",
    "step f = api.offs()\nrequire count(f) > 0 else \"There is none.\"\noutput = f[0]?.id",
    "step f = api.offs()\nlet n = count(f)\noutput = { new: n < 1, old: 1 <= n, alone: n == 1 }",
    "step f = api.offs()\nstep g = api.thread(q: first(f)?.id, limit: 1) { when count(f) >= 1 }\noutput = g?.title",
    "step f = api.offs() { on error skip }\noutput = { there: f != null, one: first(f ?? [])?.id }",
    "step f = api.offs()\noutput = if f == [] then null else first([x.id for x in f])",
    "step f = api.offs()\nlet few = take(f, 3)\noutput = [x.id for x in few]",
    # another page is asked for, or the effects say that nothing is listed
    "step a = api.offs()\nstep b = api.offs(offset: 100, limit: 100)\noutput = [...a, ...b]",
    "step a = api.offs(limit: 5)\noutput = a",
    "step s = api.seats()\noutput = s",
    # it may be a time, or a file
    "step s = api.since()\noutput = s",
    "step s = api.file()\noutput = s.text",
]  # fmt: skip


@pytest.mark.parametrize(("members", "name"), WANTS_ALL)
def test_the_first_page_is_not_all(sources, members, name):
    assert [each for each, _ in told(sources, members)] == [name]


@pytest.mark.parametrize("members", SILENT)
def test_nothing_is_said(sources, members):
    assert told(sources, members) == []


def test_claimed_effects_count(sources):
    claimed = " {{\n  tool {} returns list<{{ id: string }}> {{\n    effects {}\n  }}\n}}"
    for name, effects, found in (("seats", "read_only", ["seats"]), ("offs", "idempotent", [])):
        said = told(sources, f"step s = api.{name}()\noutput = s", claimed.format(name, effects))
        assert [each for each, _ in said] == found


LOOP = "Loop over the pages: `for each n in range({}) do api.{}({}, …)`"
MORE = "put `s.{}` into the output: it tells whether there is more"
ENOUGH = "say how many are enough: `{}`"
HELPS = {
    "orders": (LOOP.format("3, from: 1", "orders", "page: n"), MORE.format("total"), ENOUGH.format("page_size: 20")),
    "flagged": (MORE.format("truncated").capitalize(), ENOUGH.format("limit: 20")),
    "charges": (MORE.format("has_more").capitalize(), ENOUGH.format("limit: 20")),
    "numbered": (MORE.format("next_cursor").capitalize(),),
    "linked": (MORE.format("next").capitalize(),),
    "tokens": ("Pass `s.nextPageToken` as `pageToken` in another step, or put it into the output",),
    "offs": (LOOP.format("3, step: 100", "offs", "offset: n, limit: 100"), ENOUGH.format("limit: 20")),
    "few_at_once": (
        LOOP.format("3, step: 50", "few_at_once", "skip: n, top: 50"),
        MORE.format("total"),
        ENOUGH.format("top: 20"),
    ),
    "by_default": (
        LOOP.format("3, from: 1, step: 10", "by_default", "offset: n, limit: 10"),
        ENOUGH.format("limit: 10"),
    ),
    "sizeless": (MORE.format("has_more").capitalize(),),
    "spring": (LOOP.format("3", "spring", "page: n"), MORE.format("last"), ENOUGH.format("size: 20")),
    "from_zero": (LOOP.format("3", "from_zero", "page: n"), ENOUGH.format("size: 20")),
    "maybe": ("Pass `s.meta?.next_cursor` as `cursor` in another step, or put it into the output",),
    "odd": (
        LOOP.format("3, from: 1", "odd", '"page[number]": n'),
        MORE.format("links.next"),
        ENOUGH.format('"page[size]": 20'),
    ),
}
LISTS = {"orders": "orders", "flagged": "entries", "charges": "data", "numbered": "items", "linked": "items",
         "tokens": "items", "few_at_once": "rows", "sizeless": "rows", "spring": "content", "maybe": "data",
         "odd": "data"}  # fmt: skip


@pytest.mark.parametrize("name", HELPS)
def test_the_help_says_what_to_write(sources, name):
    read = f"s.{LISTS[name]}" if name in LISTS else "s"
    assert told(sources, f"step s = api.{name}()\noutput = [x.id for x in {read}]") == [
        (name, "; or ".join(HELPS[name]) + ".")
    ]


def test_what_the_help_says_can_be_written(sources):
    both = "output = { one: s.{0}, two: t.{0} }"
    for name, asked, items in (
        ("tokens", "pageToken: s.nextPageToken", "items"),
        ("offs", "offset: n, limit: 100", ""),
        ("few_at_once", "skip: n, top: 50", "rows"),
        ("odd", '"page[number]": n', "data"),
    ):
        if items == "items":
            members = f"step s = api.{name}()\nstep t = api.{name}({asked})\n{both.replace('{0}', items)}"
        else:
            members = f"step s = for each n in range(3, step: 50) do api.{name}({asked})\noutput = s"
        assert told(sources, members) == []


def test_lets_that_double_come_to_an_end(sources):
    lets = "\n".join(f"let a{n} = [...a{n - 1}, ...a{n - 1}]" for n in range(1, 40))
    found = told(sources, f"step f = api.offs()\nlet a0 = f\n{lets}\noutput = count(a39)")
    assert [name for name, _ in found] == ["offs"]
    lets = "\n".join(f"let a{n} = a{n - 1}" for n in range(1, 40))
    found = told(sources, f"step f = api.offs()\nlet a0 = f\n{lets}\noutput = count(a39)")
    assert [name for name, _ in found] == ["offs"]


def test_a_let_of_itself_is_one_mistake(sources):
    for lets in ("let n = n", "let n = m\nlet m = n", "let n = [...n]"):
        text = (
            f'import api from mcp "api"\nchain c {{\n{lets}\nstep s = api.offs()\noutput = [count(n) == 0, s != []]\n}}'
        )
        assert {"E0305", "W0613"} >= {each.code for each in checked(text, sources)[1]} >= {"E0305"}
