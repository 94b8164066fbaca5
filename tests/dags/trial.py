"""One program, compiled and run: what the run did, held against the sequential reference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from compiler.lower import lower
from stdlib.runtime.events import Succeeded
from stdlib.runtime.fault import Fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.loaded import LoadedPlan
from tests.compiler.world import checked
from tests.dags.edges import edges
from tests.dags.reference import Reference
from tests.dags.ride import Flight, Ride
from tests.dags.sketch import TOOLS, Chain, Member, Program, Section, Step
from tests.dags.text import text_of
from tests.dags.tool import value_of

SOURCES = Path(__file__).parent / "sources"


def compiled(program: Program) -> LoadedPlan:
    made, said = checked(text_of(program), SOURCES)
    assert not [each.message for each in said if each.severity == "error"], [each.message for each in said]
    return load_plan(lower(made)[0])


def try_out(program: Program, loaded: LoadedPlan, chance: Random, *, cancel: bool = False) -> Ride:
    """Runs it once, in an order that is drawn. AssertionError where a promise is broken."""
    reference = Reference(program)
    ride = Ride(program, loaded, chance, chance.randint(1, 1 + len(reference.calls)) if cancel else None)
    ending = ride.go()
    cancelled = isinstance(ending, Fault) and ending.fault_class == "cancelled"
    _calls_are_expected(ride, reference)
    _edges_hold(program, ride)
    _bounds_hold(program, ride)
    _undoing_goes_backwards(ride, reference)
    _what_failed_is_taken_back(ride, reference)
    if isinstance(ending, Fault):
        place = ending.message.split()[0] if ending.fault_class == "precondition" else ending.step
        assert cancelled or place in reference.faults, (ending, reference.faults)
        _is_accounted_for(ending, ride)
    else:
        assert isinstance(ending, Succeeded)
        assert not reference.faults, reference.faults
        _everything_was_called(ride, reference)
        assert ending.value == reference.value, f"another result: {ending.value}, not {reference.value}"
        _effects_keep_their_order(program, ride, reference)
        _taking_back_comes_first(program, ride, reference)
        _starts_as_early_as_it_may(program, ride)
    return ride


# ------------------------------------------------------------------ calls


def _steps(ride: Ride) -> list[Flight]:
    return [each for each in ride.flights if not each.is_undo]


def _calls_are_expected(ride: Ride, reference: Reference) -> None:
    seen = set()
    for each in _steps(ride):
        assert each.key not in seen, f"{each.key} is called twice"
        seen.add(each.key)
        expected = reference.calls.get(each.key)
        assert expected is not None, f"{each.key} should not be called"
        made = each.tool, each.command.arguments
        assert made == (expected.tool, expected.arguments), f"{each.key} has other arguments: {made}, {expected}"
        assert each.given_up is not None or each.ok == expected.ok


def _everything_was_called(ride: Ride, reference: Reference) -> None:
    made = {each.key for each in _steps(ride)}
    missing = [key for key, expected in reference.calls.items() if expected.certain and key not in made]
    assert not missing, f"a call is missing: {missing}"


def _effects_keep_their_order(program: Program, ride: Ride, reference: Reference) -> None:
    """Where the text says in which order writes happen, it is the sequential one."""
    if any(_leaves_order_open(program, chain.members) for chain in program.chains):
        return
    certain = {key for key, expected in reference.calls.items() if expected.certain and expected.write}
    assert [each.key for each in _steps(ride) if each.key in certain] == [k for k in reference.calls if k in certain]


def _leaves_order_open(program: Program, members: Iterable[Member]) -> bool:
    for each in members:
        if isinstance(each, Section):
            if each.any_order or _leaves_order_open(program, each.members):
                return True
        elif (
            isinstance(each, Step) and each.loop is not None and program.writes(each) and (each.loop.parallel or 1) > 1
        ):
            return True
    return False


# ------------------------------------------------------------------ edges


def _blocks(program: Program, ride: Ride) -> Iterator[tuple[str, Sequence[Member]]]:
    """The path of every chain that ran, and of every item of a loop with a body; its members."""
    paths = dict.fromkeys(each.command.step for each in ride.flights)
    yield from _blocks_of(program, program.root.members, "", list(paths))


def _blocks_of(
    program: Program, members: Sequence[Member], prefix: str, paths: list[str]
) -> Iterator[tuple[str, Sequence[Member]]]:
    yield prefix, members
    for member in members:
        for each in member.members if isinstance(member, Section) else (member,):
            if not isinstance(each, Step):
                continue
            start = re.escape(f"{prefix}.{each.name}" if prefix else each.name)
            found = (re.match(start + r"(\[\d+\])?(~\d+)?(?=\.)", path) for path in paths)
            inner: Sequence[Member] = ()
            if each.loop is not None and each.loop.body:
                inner = each.loop.body
            elif each.does not in TOOLS:
                inner = program.chain(each.does).members
            for path in dict.fromkeys(match[0] for match in found if match is not None):
                yield from _blocks_of(program, inner, path, [p for p in paths if p.startswith(path)])


def _edges_hold(program: Program, ride: Ride) -> None:
    """Nothing of a step starts before everything of what it waits for is over."""
    for prefix, members in _blocks(program, ride):
        waits = edges(program, members)
        flights = {name: _below(ride, f"{prefix}.{name}" if prefix else name) for name in waits}
        for name, before in waits.items():
            for other in before:
                late = [each for each in flights[name] for one in flights[other] if each.started < one.over]
                assert not late, f"{name} starts before {other} is over (in {prefix!r}): {late[0].key}"


def _below(ride: Ride, path: str) -> list[Flight]:
    return [each for each in _steps(ride) if _within(each.command.step, path)]


def _within(step: str, path: str) -> bool:
    return not path or step == path or (step.startswith(path) and step[len(path)] in ".[~")


def _starts_as_early_as_it_may(program: Program, ride: Ride) -> None:
    """A call of the root whose needs are over starts with the event that ended the last of them."""
    if any(chain.parallel is not None for chain in program.chains) or any(each.is_undo for each in ride.flights):
        return
    waits = edges(program, program.root.members)
    for each in program.root.named():
        own = _below(ride, each.name) if isinstance(each, Step) else []
        if own:
            ready = max((one.over for name in waits[each.name] for one in _below(ride, name)), default=0)
            assert own[0].started == ready, f"{each.name} could have started at {ready}: {own[0].started}"


# ------------------------------------------------------------------ bounds


def _bounds_hold(program: Program, ride: Ride) -> None:
    _budget_holds(program.root, ride, "")
    for prefix, members in _blocks(program, ride):
        for member in members:
            for each in member.members if isinstance(member, Section) else (member,):
                if not isinstance(each, Step):
                    continue
                path = f"{prefix}.{each.name}" if prefix else each.name
                if each.loop is not None:
                    most = each.loop.parallel or (1 if program.writes(each) else 8)
                    items: dict[str, list[Flight]] = {}
                    for flight in _below(ride, path):
                        items.setdefault(flight.command.step[len(path) :].split("]")[0], []).append(flight)
                    assert _most_at_once(map(_spans, items.values())) <= most, f"{path} does too many items at once"
                elif each.does not in TOOLS:
                    _budget_holds(program.chain(each.does), ride, path)


def _budget_holds(chain: Chain, ride: Ride, path: str) -> None:
    """Taking back costs nothing."""
    if chain.parallel is not None:
        most = _most_at_once(_spans([each]) for each in _below(ride, path))
        assert most <= chain.parallel, f"{chain.id} makes too many calls at once"


def _spans(flights: list[Flight]) -> tuple[int, int]:
    return min(each.started for each in flights), max(each.over for each in flights)


def _most_at_once(spans: Iterable[tuple[int, int]]) -> int:
    """Of spans of events; what ends with an event is gone when others start with it."""
    marks = sorted(mark for start, end in spans for mark in ((start, 1), (end, -1)) if start < end)
    most = now = 0
    for _, change in marks:
        now += change
        most = max(most, now)
    return most


# ------------------------------------------------------------------ undoing


def _undoing_goes_backwards(ride: Ride, reference: Reference) -> None:
    """What is taken back was done, once, and nothing of the same region that was done later is still to be."""
    done = sorted((each for each in _steps(ride) if each.ok and each.ended is not None), key=lambda each: each.over)
    undone: set[str] = set()
    for undo in (each for each in ride.flights if each.is_undo):
        step = undo.command.step
        own = next((each for each in done if each.command.step == step), None)
        assert own is not None, f"{step} was never done"
        assert step not in undone, f"{step} is taken back twice"
        assert undo.command.arguments["of"][-1] == value_of(own.tool, own.command.arguments)["value"], (
            f"{step} is taken back with another value"
        )
        undone.add(step)
        region = max((each for each in reference.regions if _inside(step, each)), key=len)
        for later in done[done.index(own) + 1 :]:
            if later.over <= undo.started and _has_undo(ride, later) and _inside(later.command.step, region):
                assert later.command.step in undone, f"{step} is taken back before {later.command.step}"


def _inside(step: str, region: str) -> bool:
    return step.startswith(region) if region.endswith(".") else _within(step, region)


def _what_failed_is_taken_back(ride: Ride, reference: Reference) -> None:
    """All that was done in what failed, although the run went on; where it was tried anew, before that."""
    undos = {each.command.step: each for each in ride.flights if each.is_undo}
    for each in _steps(ride):
        step = each.command.step
        if each.ok and each.ended is not None and _has_undo(ride, each):
            regions = [region for region in reference.regions if region and _inside(step, region)]
            assert not regions or step in undos, f"{step} is not taken back, although {regions[0]} failed"
    for region in reference.regions:
        attempt = re.fullmatch(r"(.*?)(?:~(\d+))?\.", region)
        if attempt is not None:
            again = f"{attempt[1]}~{int(attempt[2] or 1) + 1}."
            first = min((each.started for each in _steps(ride) if each.command.step.startswith(again)), default=None)
            over = [each.over for step, each in undos.items() if step.startswith(region)]
            assert first is None or max(over, default=0) <= first, f"{again} begins while {region} is taken back"


def _taking_back_comes_first(program: Program, ride: Ride, reference: Reference) -> None:
    """What waits for a step waits until what failed in it was taken back."""
    failed = reference.regions - {""}
    for prefix, members in _blocks(program, ride):
        if any(_inside(f"{prefix}.", region) for region in failed):
            continue
        undos = [each for each in ride.flights if each.is_undo]
        for name, before in edges(program, members).items():
            own = _below(ride, f"{prefix}.{name}" if prefix else name)
            for other in before:
                path = f"{prefix}.{other}" if prefix else other
                late = [
                    one for one in undos if _within(one.command.step, path) for each in own if each.started < one.over
                ]
                assert not late, f"{name} starts before {other} is taken back"


def _has_undo(ride: Ride, flight: Flight) -> bool:
    name = re.sub(r"[\[~].*", "", flight.command.step.rsplit(".", 1)[-1])
    return name in ride.program.undoable


def _is_accounted_for(fault: Fault, ride: Ride) -> None:
    """What the fault says was done, taken back and not taken back is what happened."""
    writes = [each for each in _steps(ride) if each.tool != "read" and each.ok]
    writes.sort(key=lambda each: (each.over, 0))
    undos = sorted((each for each in ride.flights if each.is_undo), key=lambda each: each.over)
    undone = [each.command.step for each in undos if each.ok]
    assert list(fault.undone) == undone[:50], (fault.undone, undone)
    done = [each.command.step for each in writes if each.command.step not in undone]
    assert list(fault.done) == done[:50], (fault.done, done)
    kept = {each.command.step for each in undos if not each.ok}
    ok = {each.command.step for each in writes}
    lost = [each for each in _steps(ride) if each.unknown and each.tool != "read" and each.command.step not in ok]
    unknown = {each.command.step for each in lost if _has_undo(ride, each)}
    doubts = {each.command.step for each in lost} - unknown - {fault.step}
    assert set(fault.details.get("in_doubt", ())) == doubts, (fault, doubts)
    assert not fault.retryable or not (fault.done or fault.not_undone or doubts), "what repeats something"
    assert {each["step"] for each in fault.not_undone} == kept | unknown, (fault.not_undone, kept, unknown)
    for each in writes:
        if _has_undo(ride, each):
            assert each.command.step in {*undone, *kept}, f"{each.command.step} is not taken back"
