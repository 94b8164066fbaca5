"""What waits for what in a chain."""

from compiler.program import ChainGraph
from tests.compiler.world import body, checked


def graph(members: str) -> ChainGraph:
    program, _ = checked(body("input repo: string\n" + members))
    return program.chains["c"].graph


READ = "github.get_issue(repo: repo, number: 1)"
WRITE = 'slack.post_message(channel: repo, text: "x")'


def test_reads_start_as_early_as_their_references_allow():
    made = graph(f"step a = {READ}\nstep b = {READ}\nstep c1 = github.get_issue(repo: a.title, number: 1)")
    assert made.needs == {"a": (), "b": (), "c1": ("a",), "output": ()}
    assert made.order == ("a", "b", "c1")


def test_writes_keep_the_order_of_the_text():
    made = graph(f"step a = {WRITE}\nstep b = {READ}\nstep d = {WRITE}\nstep e = {WRITE}")
    assert made.needs == {"a": (), "b": (), "d": ("a",), "e": ("d",), "output": ()}


def test_a_loop_with_a_write_in_it_is_a_write():
    made = graph(
        f"step a = {WRITE}\nstep rows = for each i in [1] {{ step w = {WRITE}\nreturn i }}\n"
        f"step more = for each i in [1] do {WRITE}"
    )
    assert made.needs["rows"] == ("a",)
    assert made.needs["more"] == ("rows",)


def test_any_order_frees_the_writes_of_a_section_from_each_other_only():
    made = graph(
        f"step a = {WRITE}\nsection s {{ any_order\nstep b = {WRITE}\nstep d = {WRITE}\n}}\nstep e = {WRITE}\n"
    )
    assert made.needs == {"a": (), "b": ("a",), "d": ("a",), "e": ("b", "d"), "output": ()}


def test_a_section_without_writes_passes_the_order_on():
    made = graph(f"step a = {WRITE}\nsection s {{ any_order\nstep b = {READ}\n}}\nstep e = {WRITE}\n")
    assert made.needs["e"] == ("a",)


def test_a_guard_is_a_binding_that_its_members_need():
    made = graph(f"step a = {READ}\nsection s {{ when a.number > 0\nlet l = 1\nstep b = {READ}\n}}")
    assert made.order == ("a", "s.when", "l", "b")
    assert made.needs["s.when"] == ("a",)
    assert made.needs["l"] == made.needs["b"] == ("s.when",)


def test_after_takes_steps_and_whole_sections():
    made = graph(
        f"section s {{ step a = {READ}\nstep b = {READ}\nlet l = 1 }}\n"
        f"step d = {READ} {{ after s }}\nsection t {{ after d\nlet m = 1\nstep e = {READ} }}"
    )
    assert made.needs["d"] == ("a", "b")
    assert made.needs["e"] == ("d",)
    assert made.needs["m"] == ()


def test_a_require_on_inputs_holds_back_every_step():
    made = graph(f'let n = count(repo)\nstep a = {READ}\nrequire n > 0 else "x"\nstep b = {WRITE}')
    assert made.needs == {"n": (), "a": ("require#1",), "require#1": ("n",), "b": ("require#1",), "output": ()}
    assert made.order == ("n", "require#1", "a", "b")


def test_a_require_on_steps_holds_back_the_writes_below_it():
    made = graph(
        f'step a = {READ}\nstep b = {WRITE}\nrequire a.number > 0 else "x"\nstep d = {WRITE}\nstep e = {READ}\n'
        f'require a.number > 1 else "y"\nstep f = {WRITE}'
    )
    assert made.needs["require#1"] == made.needs["require#2"] == ("a",)
    assert made.needs["b"] == ()
    assert set(made.needs["d"]) == {"b", "require#1"}
    assert made.needs["e"] == ()
    assert set(made.needs["f"]) == {"d", "require#1", "require#2"}


def test_blocks_have_graphs_of_their_own_and_pass_their_needs_on():
    made = graph(
        f"step a = {READ}\nstep rows = for each i in [1] {{\nstep w = {WRITE}\nlet l = a.title\n"
        f"step v = {WRITE}\nstep inner = for each j in [l] {{ let k = j\nreturn k }}\nreturn l }}"
    )
    rows = made.bodies["rows"]
    assert made.needs["rows"] == ("a",)
    assert rows.order == ("w", "l", "v", "inner")
    assert rows.needs == {"w": (), "l": (), "v": ("w",), "inner": ("l",)}
    assert rows.bodies["inner"].order == ("k",)


def test_reactions_guards_and_predicates_are_references():
    made = graph(
        f"step a = {READ} {{ on error skip }}\nstep b = {READ} {{ on error use a }}\n"
        f"step d = {READ} {{ when succeeded(a) and count([x for x in [1] if x > 0]) > 0 }}\n"
        f'section s {{ on error fail "${{b?.title ?? ""}}"\nstep e = {READ} }}\noutput = d?.title'
    )
    assert made.needs["b"] == made.needs["d"] == ("a",)
    assert made.needs["e"] == ("b",)
    assert made.needs["output"] == ("d",)


def test_what_compensates_a_step_may_speak_of_it():
    made = graph(f"step a = {WRITE} {{ undo slack.post_message(channel: a.ts, text: repo) }}")
    assert made.needs["a"] == ()


def test_the_order_is_that_of_the_text_where_nothing_else_decides():
    made = graph(f"let z = y\nstep b = {READ}\nlet y = 1\nstep a = {READ}\nlet x = a.title")
    assert made.order == ("b", "y", "z", "a", "x")


def test_every_need_stands_before_and_comes_in_that_order():
    made = graph(f'let l = b.title\nstep a = {READ}\nstep b = {READ}\nlet m = [l, a.title]\nrequire a != b else "x"')
    place = {name: i for i, name in enumerate(made.order)}
    for name, needs in made.needs.items():
        places = [place[need] for need in needs]
        assert places == sorted(places)
        assert all(at < place.get(name, len(place)) for at in places)


def test_circles_leave_every_binding_in_the_order():
    made = graph("let a = b\nlet b = a\nlet d = 1")
    assert made.order == ("d", "a", "b")
