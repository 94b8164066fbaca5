"""Chains: what stands in them, the order in which it happens, the output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dsl import tree
from dsl.tree.walk import children
from tests.mutation.reference.calls import accept, arguments_of
from tests.mutation.reference.effects import is_write
from tests.mutation.reference.expressions import condition, evaluate, file_frame, fit, let_outcome, let_value, text
from tests.mutation.reference.faults import DesignFault, ShapeFault
from tests.mutation.reference.program import Module
from tests.mutation.reference.scope import Cell, Frame, Outcome, Run
from tests.mutation.reference.shapes import nullable
from tests.mutation.reference.steps import Defaults, perform_step
from tests.mutation.reference.types import schema_of
from tests.mutation.reference.values import Stored

Members = Iterable[tree.Let | tree.Step]


def generated_inputs(chain: tree.Chain, module: Module, run: Run) -> dict[str, Any]:
    """Inputs as a client may send them: what may be left out is, now and then."""
    made = {}
    for each in chain.members:
        if isinstance(each, tree.Input):
            schema = schema_of(each.type, module)
            optional = each.default is not None or nullable(schema, schema)
            if not optional or not run.generator.happens(run.generator.mode.absent):
                made[each.name.text] = run.generator.value(schema, depth=1)
    return made


def run_chain(module: Module, chain: tree.Chain, inputs: dict[str, Any], run: Run, at: tree.Node) -> Any:
    """The output of a chain, as its caller sees it."""
    run.count()
    undoing, run.undoing = run.undoing, False
    value = ChainRun(module, chain, inputs, run).output()
    run.undoing = undoing
    return value


def run_adapter(module: Module, chain: tree.Chain, adapter: tree.Adapter, run: Run) -> None:
    """A call in the terms of an old version: its arguments become the chain's, the chain's output becomes its own."""
    bound: dict[str, Any] = {}
    frame = Frame(run, module, file_frame(Frame(run, module)), bound)
    for each in adapter.inputs:
        schema = schema_of(each.type, module)
        optional = each.default is not None or nullable(schema, schema)
        value = None
        if not optional or not run.generator.happens(run.generator.mode.absent):
            value = run.generator.value(schema, depth=1)
        if value is None and each.default is not None:
            value = fit(evaluate(each.default, frame), each.type, frame, each.default)
        bound[each.name.text] = value
    for let in adapter.lets:
        frame.cells.setdefault(let.name.text, Cell(let_outcome, let, frame))
    call = tree.Call(adapter.start, adapter.end, (chain.name,), adapter.arguments)
    result = run_chain(module, chain, accept(call, module, chain, arguments_of(call, frame)), run, adapter)
    if adapter.output is not None:
        inner = frame.inside(result=result)
        value = evaluate(adapter.output.value, inner)
        if adapter.output.type is not None:
            fit(value, adapter.output.type, inner, adapter.output.value)


class ChainRun:
    """One run of one chain."""

    def __init__(self, module: Module, chain: tree.Chain, inputs: dict[str, Any], run: Run) -> None:
        self.chain = chain
        self.frame = Frame(run, module, file_frame(Frame(run, module)))
        self.defaults = Defaults.of(module, chain)
        self.inputs = inputs
        self.sections = {each.name.text: each for each in chain.members if isinstance(each, tree.Section)}
        self.guards = {name: Cell(self._guard, section) for name, section in self.sections.items()}
        self.requires: list[tuple[tree.Require, Cell]] = []
        self.lets: dict[str, tree.Let] = {}
        self.last_write: Cell | None = None
        self.frame.variables = self._bound()
        for member in chain.members:
            if isinstance(member, tree.Require):
                self.requires.append((member, Cell(self._require, member)))
            elif isinstance(member, tree.Section):
                for inner in member.members:
                    self._declare(inner, member)
            elif isinstance(member, tree.Let | tree.Step):
                self._declare(member, None)

    def _bound(self) -> dict[str, Any]:
        """The inputs with defaults for those that were left out; a default sees the inputs above it."""
        bound: dict[str, Any] = {}
        for each in self.chain.members:
            if not isinstance(each, tree.Input) or each.name.text in bound:
                continue
            value = self.inputs.get(each.name.text)
            if value is None and each.default is not None:
                inner = self.frame.inside(**bound)
                value = fit(evaluate(each.default, inner), each.type, inner, each.default)
            bound[each.name.text] = value
        return bound

    def _declare(self, member: tree.Let | tree.Step, section: tree.Section | None) -> None:
        name = member.name.text
        if name in self.frame.cells:
            return  # reported by the look at names
        if isinstance(member, tree.Let):
            self.lets[name] = member
            self.frame.cells[name] = Cell(self._let, member, section, self._relied_on(member, section))
            return
        writes = is_write(member, self.frame.module)
        free = section is not None and any(isinstance(each, tree.AnyOrder) for each in section.clauses)
        before = self.last_write if writes and not free else None
        requires = tuple(cell for _, cell in self.requires) if writes else self._relied_on(member, section)
        cell = Cell(self._step, member, section, before, requires, of_step=True)
        self.frame.cells[name] = cell
        if writes:
            self.last_write = cell

    def _relied_on(self, member: tree.Node, section: tree.Section | None) -> tuple[Cell, ...]:
        """The requires above that speak of a name which is used here: their proof is relied on."""
        names = _names(member) | (_names(*section.clauses) if section is not None else set())
        return tuple(cell for require, cell in self.requires if names & _names(require.condition))

    def _let(self, let: tree.Let, section: tree.Section | None, requires: tuple[Cell, ...]) -> tuple[Any, Outcome]:
        for cell in requires:
            cell.force(let.name)
        if section is not None and not self.guards[section.name.text].force(let.name):
            return None, "skipped"
        return let_value(let, self.frame), "succeeded"

    def _step(
        self, step: tree.Step, section: tree.Section | None, before: Cell | None, requires: tuple[Cell, ...]
    ) -> tuple[Any, Outcome]:
        for cell in (*requires, *((before,) if before else ())):
            cell.force(step.name)
        if section is not None:
            self._await(section.clauses)
        self._await(step.clauses)
        if section is not None and not self.guards[section.name.text].force(step.name):
            return None, "skipped"
        return perform_step(step, self.frame, self.defaults.within(section))

    def _await(self, clauses: tuple[tree.Clause, ...]) -> None:
        for clause in clauses:
            if not isinstance(clause, tree.After):
                continue
            for name in clause.names:
                section = self.sections.get(name.text)
                steps = [each.name for each in section.members if isinstance(each, tree.Step)] if section else [name]
                for each in steps:
                    self.frame.value(each.text, name)

    def _guard(self, section: tree.Section) -> tuple[bool, Outcome]:
        self._await(section.clauses)
        guards = [each for each in section.clauses if isinstance(each, tree.When)]
        return all(condition(each.condition, self.frame) for each in guards), "succeeded"

    def _require(self, require: tree.Require) -> tuple[None, Outcome]:
        if not condition(require.condition, self.frame):
            text(require.message, self.frame)
            raise DesignFault(require, "what is required does not hold")
        return None, "succeeded"

    def output(self) -> Any:
        for require, cell in self.requires:
            if not self._needs_steps(require.condition, frozenset()):
                cell.force(require)
        if self.frame.run.late:
            self._go(only_reads=True)
        self._go(only_reads=False)
        node = next((each for each in self.chain.members if isinstance(each, tree.Output)), None)
        if node is None:
            raise ShapeFault(self.chain.name, "the chain has no output")
        value = self._output(node)
        if node.summary is not None:
            text(node.summary, self.frame)
        return value

    def _needs_steps(self, node: tree.Node, seen: frozenset[str]) -> bool:
        """Whether a step has to run before something can be said."""
        for name in _names(node) - seen:
            cell = self.frame.cells.get(name)
            if cell is not None and (cell.of_step or self._needs_steps(self.lets[name], seen | {name})):
                return True
        return False

    def _go(self, only_reads: bool) -> None:
        """Everything in the order of the text; or first what does not have to wait for it."""
        requires = iter(self.requires)
        for member in self.chain.members:
            if isinstance(member, tree.Require):
                require, cell = next(requires)
                if not only_reads:
                    cell.force(require)
            for each in member.members if isinstance(member, tree.Section) else (member,):
                if isinstance(each, tree.Let) or (
                    isinstance(each, tree.Step) and not (only_reads and is_write(each, self.frame.module))
                ):
                    self.frame.value(each.name.text, each.name)

    def _output(self, node: tree.Output) -> Any:
        value = evaluate(node.value, self.frame)
        if node.type is None:
            return value
        schema = schema_of(node.type, self.frame.module)
        if "x-handle" not in schema:
            return fit(value, node.type, self.frame, node.value)
        kind = schema["x-handle"]
        return Stored(kind, fit(value, self.frame.module.kinds[kind].type, self.frame, node.value))


def _names(*nodes: tree.Node) -> set[str]:
    """All names in value position."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Ref):
            found.add(each.name)
        waiting.extend(children(each))
    return found
