"""The bindings of a chain and what each of them waits for.

Edges come from references and `after`, from the guard of the section around a binding, from the order of writes (a
step that does more than read waits for the write before it, unless its section says `any_order`), and from `require`:
one that rests on inputs alone is needed by every step, any other one by the writes below it, and each by what
refers to a name that it tests further up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from compiler.graph.afterwards import AFTERWARDS, wait_for_lets
from compiler.graph.barriers import rest_on_inputs, tested
from compiler.graph.order import Circle, ordered
from compiler.graph.references import references
from compiler.program import ChainGraph
from dsl import tree

IsRead = Callable[[tree.Step], bool]


@dataclass(slots=True)
class _Edges:
    """`needs` grows while the text is walked; its keys are the bindings in the order of the text."""

    is_read: IsRead
    needs: dict[str, list[str]] = field(default_factory=dict)
    sections: dict[str, tuple[str, ...]] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    later: dict[str, list[str]] = field(default_factory=dict)  # step → what the clauses that run after it refer to
    tests: dict[str, list[str]] = field(default_factory=dict)  # name → the requires above that test it

    def tested(self, names: Sequence[str]) -> list[str]:
        """The names, and the requires that test one of them."""
        return [*names, *(require for name in names for require in self.tests.get(name, ()))]


def build_graph(chain: tree.Chain, is_read: IsRead) -> tuple[ChainGraph, tuple[Circle, ...]]:
    """The graph of a chain, with all circles of the chain and of its blocks (reported by the caller)."""
    edges = _Edges(is_read)
    requires: list[tuple[str, tree.Require]] = []
    outcome: list[str] | None = None
    bodies: dict[str, ChainGraph] = {}
    circles: list[Circle] = []
    steps: list[str] = []
    edges.sections = {
        m.name.text: tuple(x.name.text for x in m.members if isinstance(x, tree.Step))
        for m in chain.members
        if isinstance(m, tree.Section)
    }
    waits: dict[str, Sequence[str]] = {}  # require → the writes below it
    for member in chain.members:
        if isinstance(member, tree.Let | tree.Step):
            _member(edges, member, (), None)
        elif isinstance(member, tree.Section):
            _section(edges, member)
        elif isinstance(member, tree.Require):
            name = f"require#{len(requires) + 1}"
            requires.append((name, member))
            edges.needs.setdefault(name, edges.tested(list(references(member.condition, member.message))))
            for about in tested(member.condition):
                edges.tests.setdefault(about, []).append(name)
        elif isinstance(member, tree.Output) and outcome is None:
            outcome = edges.tested(list(references(member)))
        for step in _steps((member,)):
            steps.append(step.name.text)
            if not is_read(step):
                for name, _ in requires:
                    waits[name] = [*waits.get(name, ()), step.name.text]
            _bodies(step, is_read, bodies, circles)
    known = set(edges.needs)
    needs = {name: _known(wanted, known) for name, wanted in edges.needs.items()}
    names = list(needs)
    early = rest_on_inputs([name for name, _ in requires], needs, set(steps))
    for name, _ in requires:
        for step_name in steps if name in early else waits.get(name, ()):
            needs[step_name].append(name)
    wait_for_lets(needs, edges.later, set(steps))
    order, found = ordered(names, needs)
    place = {name: i for i, name in enumerate(order)}
    final = {name: _sorted(needs[name], place) for name in order}
    if outcome is not None:
        final["output"] = _sorted(_known(outcome, known), place)
    return ChainGraph(tuple(order), final, bodies), (*found, *circles)


def block_graph(action: tree.EachBlock, is_read: IsRead) -> tuple[ChainGraph, list[Circle]]:
    """The graph inside the block of a `for each`; names from outside are the loop's own needs."""
    edges = _Edges(is_read)
    bodies: dict[str, ChainGraph] = {}
    circles: list[Circle] = []
    for member in action.members:
        _member(edges, member, (), None)
        if isinstance(member, tree.Step):
            _bodies(member, is_read, bodies, circles)
    known = set(edges.needs)
    needs = {name: _known(wanted, known) for name, wanted in edges.needs.items()}
    wait_for_lets(needs, edges.later, set(edges.later))
    order, found = ordered(list(needs), needs)
    place = {name: i for i, name in enumerate(order)}
    final = {name: _sorted(needs[name], place) for name in order}
    return ChainGraph(tuple(order), final, bodies), [*found, *circles]


def _bodies(step: tree.Step, is_read: IsRead, bodies: dict[str, ChainGraph], circles: list[Circle]) -> None:
    if isinstance(step.action, tree.EachBlock):
        graph, found = block_graph(step.action, is_read)
        bodies.setdefault(step.name.text, graph)
        circles.extend(found)


def _section(edges: _Edges, section: tree.Section) -> None:
    guard: str | None = None
    # What all steps of the section wait for: `after`, and what a reaction that they inherit speaks of.
    after: list[str] = []
    any_order = False
    for clause in section.clauses:
        if isinstance(clause, tree.When):
            guard = f"{section.name.text}.when"
            edges.needs[guard] = edges.tested(list(references(clause.condition)))
        elif isinstance(clause, tree.After):
            after += _targets(edges, clause)
        elif isinstance(clause, tree.On):
            after += references(clause)
        any_order = any_order or isinstance(clause, tree.AnyOrder)
    before = edges.writes
    inside: list[str] = []
    for member in section.members:
        if any_order:
            edges.writes = before
        _member(edges, member, after, guard)
        if any_order and isinstance(member, tree.Step) and not edges.is_read(member):
            inside.append(member.name.text)
    if any_order and inside:
        edges.writes = tuple(inside)


def _member(edges: _Edges, member: tree.Let | tree.Step, after: Sequence[str], guard: str | None) -> None:
    name = member.name.text
    if name in edges.needs:
        return  # declared twice: reported where names are
    wanted: list[str] = [guard] if guard else []
    if isinstance(member, tree.Let):
        wanted += references(member.value)
    else:
        wanted += after
        for clause in member.clauses:
            if isinstance(clause, tree.After):
                wanted += _targets(edges, clause)
        # What compensates and proves a step runs after it: it only uses what is there by then.
        wanted += references(member.action, *[c for c in member.clauses if not isinstance(c, AFTERWARDS)])
        edges.later[name] = list(references(*[c for c in member.clauses if isinstance(c, AFTERWARDS)]))
        if not edges.is_read(member):
            wanted += edges.writes
            edges.writes = (name,)
    edges.needs[name] = edges.tested(wanted)


def _targets(edges: _Edges, clause: tree.After) -> list[str]:
    """`after`: a step, or all steps of a section."""
    found: list[str] = []
    for name in clause.names:
        found += edges.sections.get(name.text, (name.text,))
    return found


def _steps(members: Iterable[tree.Node]) -> Iterable[tree.Step]:
    for member in members:
        if isinstance(member, tree.Section):
            yield from _steps(member.members)
        elif isinstance(member, tree.Step):
            yield member


def _known(wanted: Iterable[str], known: set[str]) -> list[str]:
    """The bindings among the names, each once. A name may stand there as its own need: a circle of one."""
    return [n for n in dict.fromkeys(wanted) if n in known]


def _sorted(wanted: Iterable[str], place: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(wanted), key=place.__getitem__))
