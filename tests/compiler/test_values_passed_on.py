"""Values on their way through a chain, from the text to the result: records with more or fewer fields than declared."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from compiler.lower import lower
from stdlib.runtime.arguments import check_arguments, record_of, resolve_handles
from stdlib.runtime.load import load_plan
from stdlib.runtime.principal import Owner
from stdlib.runtime.store.handles import Label
from stdlib.runtime.store.memory import MemoryStore
from tests.compiler.world import IMPORTS, checked
from tests.stdlib.runtime.plans import Hand


def started(text: str, **arguments: Any) -> Hand:
    """The first chain of a text, started with what a client sends."""
    program, found = checked(IMPORTS + text)
    assert [each.message for each in found if each.severity == "error"] == []
    loaded = load_plan(lower(program)[0])
    chain = next(iter(loaded.chains.values()))
    given = check_arguments(chain, record_of(arguments), strict_nulls=False)
    return Hand(loaded=loaded).start(**given)


T = "type T = { a: string, b: string? }\n"
A = {"a": "x"}
WHOLE = {"a": "x", "b": None}


@pytest.mark.parametrize(
    ("members", "given", "result"),
    [
        ("input t: T  output = t", {"t": A}, WHOLE),
        ("input t: T  output = { t: t }", {"t": A}, {"t": WHOLE}),
        ("input t: json  output = t as T", {"t": A}, WHOLE),
        ('input t: json  let x = t as T  output = { x: x, b: x.b ?? "n" }', {"t": A}, {"x": WHOLE, "b": "n"}),
        ("input t: T  output = { ...t }", {"t": A}, WHOLE),
        ("input ts: list<T>  output = { ts: ts }", {"ts": [A]}, {"ts": [WHOLE]}),
        ("input ts: list<T>  output = { ts: [{ ...t, c: 1 } for t in ts] }", {"ts": [A]}, {"ts": [{**WHOLE, "c": 1}]}),
        ("input ts: map<T>  output = { ts: ts }", {"ts": {"k": A}}, {"ts": {"k": WHOLE}}),
        ("input t: T | list<T>  output = { t: t }", {"t": [A]}, {"t": [WHOLE]}),
        ("input t: T?  output = { t: t }", {"t": A}, {"t": WHOLE}),
        ("input t: T  step s = inner(t: t)  output = s", {"t": A}, WHOLE),
        ("input t: T  step s = inner(...{ t: t })  output = { s: s, b: s.b }", {"t": A}, {"s": WHOLE, "b": None}),
        ("input ts: list<T>  step s = for each t in ts do inner(t: t)  output = { s: s }", {"ts": [A]}, {"s": [WHOLE]}),
    ],
)
def test_a_record_may_lack_what_is_optional(members: str, given: dict[str, Any], result: Any):
    inner = "chain inner { input t: T  output T = t }\n"
    assert started(T + "chain c {\n" + members.replace("  ", "\n") + "\n}\n" + inner, **given).value == result


def test_a_spread_takes_the_fields_that_are_declared():
    spread = "chain c {\n input a: { x: integer }\n output = { ...a, y: 1 }\n}\n"
    assert started(spread, a={"x": 1, "y": 3, "z": 5}).value == {"x": 1, "y": 1}
    first = "chain c {\n input a: { x: integer }\n output = { y: 1, ...a }\n}\n"
    assert started(first, a={"x": 1, "y": 3}).value == {"y": 1, "x": 1}
    maps = "chain c {\n input a: map<integer>\n output = { m: { y: 1, ...a } }\n}\n"
    assert started(maps, a={"y": 3, "z": 5}).value == {"m": {"y": 3, "z": 5}}


def test_what_is_not_declared_never_comes_under_another_type():
    """A client may send `b` as it likes: nobody reads it as a text."""
    text = T + "chain c {\n input w: { a: string }\n output = (%s).b ?? 0\n}\n"
    sent = {"a": "x", "b": 5}
    assert started(text % "{ ...w } as T", w=sent).value == 0
    assert started(text % "w as T", w=sent).fault.fault_class == "shape_mismatch"
    passed = T + "chain c {\n input w: { a: string }\n let t: T = %s\n output = t.b ?? 0\n}\n"
    assert [each.code for each in checked(passed % "w")[1]] == ["E0404"]
    assert started(passed % "{ ...w }", w=sent).value == 0


def test_a_spread_passes_the_arguments_that_are_declared():
    text = """
    type W = { number: integer, note: string? }
    chain c {
      input w: { number: integer }
      step y = github.get_issue(repo: "r", ...w)
      output = y.title
    }"""
    hand = started(text, w={"number": 2, "repo": "evil", "other": 1})
    assert hand.starts["y#1"].arguments == {"repo": "r", "number": 2}


HANDLES = """
kind rows = list<{ n: integer }>
chain c {
  input n: integer
  step m = mk(n: n)
  step twice = more(r: m)
  step own = more(r: [{ n: 7 }])
  step none = more()
  output = { m: m, n: m[0]?.n, twice: twice, own: count(own), none: none }
}
chain kept {
  input r: handle<rows>
  output handle<rows> = r { summary "${count(r)} rows" }
}
chain mk { input n: integer  output handle<rows> = [{ n: n }] }
chain more { input r: handle<rows>?  output handle<rows> = [...(r ?? []), { n: 0 }] }
"""


def test_inside_a_chain_a_handle_is_what_is_stored():
    one = [{"n": 3}]
    assert started(HANDLES, n=3).value == {"m": one, "n": 3, "twice": [*one, {"n": 0}], "own": 2, "none": [{"n": 0}]}
    program, found = checked(HANDLES)
    assert found == []
    kept = lower(program)[0].chains["kept"]
    assert (kept.output.mode, kept.output.handle, kept.inputs[0].handle) == ("handle", "rows", "rows")
    assert kept.input_schema["properties"]["r"]["type"] == "string"


def test_a_stored_value_comes_back():
    program, _ = checked(HANDLES.replace("chain c {", "chain d {").replace("chain kept {", "chain a {", 1))
    loaded = load_plan(lower(program)[0])

    async def come_back() -> dict[str, Any]:
        handles, owner = MemoryStore().handles, Owner()
        kept = await handles.put(owner, Label("rows"), [{"n": 1}])
        return await resolve_handles(loaded, loaded.chains["a"], {"r": kept.id}, handles, owner)

    given = anyio.run(come_back)
    assert given == {"r": [{"n": 1}]}


def test_what_a_condition_proves_of_fields_goes_on_with_the_record():
    text = """chain c {
      input xs: list<{ a: string?, at: timestamp? }>
      let known = [x for x in xs if x.a != null and x.at != null]
      output = { groups: keys(group(known, by: "a")), last: [x.a for x in sort(known, by: "at", order: "desc")] }
    }"""
    zone, utc = "2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z"
    given = [{"a": "p", "at": zone}, {"a": "q", "at": utc}, {"at": utc}, {"a": "p"}]
    assert started(text, xs=given).value == {"groups": ["p", "q"], "last": ["q", "p"]}


def test_one_of_several_lists_is_a_list():
    text = """chain either {
      input c: boolean
      input u: list<integer> | list<string>
      let sorted = sort(if c then [2, 1] else [4, 3])
      output = { all: [...u, ...(if c then ["a"] else ["b"])], found: "b" in u, first: u[0], sorted: sorted }
    }"""
    assert started(text, c=True, u=["b"]).value == {"all": ["b", "a"], "found": True, "first": "b", "sorted": [1, 2]}


DEFAULTS = """
type Page = { size: integer = 3, from: { at: integer = 1, of: string? } = {} }
chain c {
  input x: { a: integer = 3, b: list<Page>, p: Page? } = { b: [{}] }
  input free: json?
  step s = more(p: x.p ?? { size: 9 }, free: 1)
  step t = more(p: {})
  output = { a: x.a + 1, ends: [p.size + p.from.at for p in x.b], s: s, t: t, free: free }
}
chain more { input p: Page  input free: json?  output = "${p.size} ${p.from.at} ${p.from.of ?? "-"}" }
"""


def test_fields_that_are_left_out_have_their_defaults():
    whole = {"a": 4, "ends": [4], "s": "9 1 -", "t": "3 1 -", "free": None}
    assert started(DEFAULTS).value == whole
    some = started(DEFAULTS, x={"a": 1, "b": [{"size": 5}, {"from": {"at": 4}}], "p": {"from": {"of": "q"}}}, free=[])
    assert some.value == {"a": 2, "ends": [6, 7], "s": "3 1 q", "t": "3 1 -", "free": []}


def test_what_takes_json_may_leave_it_out():
    text = "type Any = json?\nchain c {\n input a: json?\n input b: { v: json?, w: Any }\n output = [a, b.v, b.w]\n}"
    program, found = checked(text)
    assert found == []
    schema = lower(program)[0].chains["c"].input_schema
    assert (schema["required"], "required" in schema["properties"]["b"]) == (["b"], False)
    assert started(text, b={"v": 1}).value == [None, 1, None]


def test_an_integer_is_one_however_it_is_written():
    text = """chain c {
      input n: integer
      input more: list<integer | string>?
      input x: number
      step issue = github.get_issue(repo: "r", number: n)
      let read = { a: 4.0 } as { a: integer }
      output = { n: n + 1, more: more, x: x, read: read.a }
    }"""
    hand = started(text, n=1.0, more=[2.0, "3.0"], x=2.0)
    assert repr(hand.starts["issue#1"].arguments["number"]) == "1"
    hand.ok("issue", {})
    assert repr(hand.value) == "{'n': 2, 'more': [2, '3.0'], 'x': 2.0, 'read': 4}"
